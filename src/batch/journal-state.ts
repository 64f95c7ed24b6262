/**
 * What a journal proves, given how much of the output is really there. A group counts only if the files reach
 * as far as its mark says; the first that does not, and all behind it, never happened.
 */

import { createReadStream } from 'node:fs'
import { type DoneLine, type FailLine, type MarkLine, parseJournalLine, type RunLine } from './journal-format.js'

export interface JournalState {
  readonly run: RunLine
  readonly mark: MarkLine
  /** Bytes of the journal that count. */
  readonly journalBytes: number
  /** Keys of finished records: those behind the mark's place, or all when records have content keys. */
  readonly done: Set<string>
  /** Records that failed and did not succeed since, by key. */
  readonly failed: Map<string, FailLine>
}

export const START_MARK: MarkLine = {
  type: 'mark',
  in: 0,
  inOff: 0,
  records: 0,
  ok: 0,
  failed: 0,
  skipped: 0,
  outOff: 0,
  errOff: 0,
}

/** Complete lines of a file with the offset behind each; a last line without its newline is torn and left out. */
async function* wholeLines(path: string): AsyncGenerator<{ text: string; end: number }> {
  let rest: Buffer = Buffer.alloc(0)
  let offset = 0
  for await (const chunk of createReadStream(path)) {
    const bytes: Buffer = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer])
    let start = 0
    for (let index = bytes.indexOf(10); index >= 0; index = bytes.indexOf(10, start)) {
      yield { text: bytes.toString('utf8', start, index), end: offset + index + 1 }
      start = index + 1
    }
    rest = bytes.subarray(start)
    offset += start
  }
}

/**
 * Reads a journal as far as it is sound and the output of `outBytes` bears it out. `undefined` when not even its
 * first line is whole: no record can have been written by that run.
 */
export async function readJournal(path: string, outBytes: number): Promise<JournalState | undefined> {
  let replay: JournalReplay | undefined
  for await (const { text, end } of wholeLines(path)) {
    const line = parseJournalLine(text)
    if (line === undefined) break
    if (replay === undefined) {
      if (line.type !== 'run') break
      replay = new JournalReplay(line, end)
    } else if (line.type === 'mark') {
      if (line.outOff > outBytes) break
      replay.close(line, end)
    } else if (line.type === 'run') break
    else replay.add(line)
  }
  return replay?.state()
}

/** Finished records are swept up each time this many more are known. */
const SWEEP_EVERY = 100_000

class JournalReplay {
  readonly #run: RunLine
  #mark = START_MARK
  #journalBytes: number
  /** Finished records with their places. */
  readonly #done = new Map<string, DoneLine>()
  readonly #failed = new Map<string, FailLine>()
  #group: (DoneLine | FailLine)[] = []
  #sweepAt = SWEEP_EVERY

  constructor(run: RunLine, endOffset: number) {
    this.#run = run
    this.#journalBytes = endOffset
  }

  add(line: DoneLine | FailLine): void {
    this.#group.push(line)
  }

  close(mark: MarkLine, endOffset: number): void {
    this.#mark = mark
    this.#journalBytes = endOffset
    for (const line of this.#group) {
      if (line.type === 'fail') this.#failed.set(line.k, line)
      else {
        this.#done.set(line.k, line)
        this.#failed.delete(line.k)
      }
    }
    this.#group = []
    if (this.#done.size < this.#sweepAt) return
    this.#sweep()
    this.#sweepAt = this.#done.size + SWEEP_EVERY
  }

  state(): JournalState {
    this.#sweep()
    const done = new Set(this.#done.keys())
    return { run: this.#run, mark: this.#mark, journalBytes: this.#journalBytes, done, failed: this.#failed }
  }

  /** Before the mark's place everything is finished anyway: forgetting it keeps the memory of a long run flat. */
  #sweep(): void {
    if (this.#run.key !== null) return
    for (const [key, line] of this.#done) if (isBefore(line, this.#mark)) this.#done.delete(key)
  }
}

/** Whether a record lies in the part of the inputs that a mark covers. */
export function isBefore(record: { readonly in: number; readonly off: number }, mark: MarkLine): boolean {
  return record.in < mark.in || (record.in === mark.in && record.off < mark.inOff)
}
