/**
 * What a journal proves, given what is really in the output. A group counts only if the output reaches as far as its mark says;
 * the first that does not, and all behind it, never happened. An output that reaches so far with another text is not the
 * one that the journal speaks of.
 */

import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { BatchOutputError, JournalError } from '../options/batch-errors.js'
import { type DoneLine, type FailLine, type MarkLine, parseJournalLine, type RunLine } from './journal-format.js'

/** A record that failed and did not succeed since. */
export interface NotedFailure {
  /** False when the failure was not the record's. */
  readonly final: boolean
  /** Offset in the journal behind the line that says so. */
  readonly end: number
}

export interface JournalState {
  readonly run: RunLine
  readonly mark: MarkLine
  /** Bytes of the journal that count. */
  readonly journalBytes: number
  /** Keys of finished records: those behind the mark's place, or all when records have content keys. */
  readonly done: Set<string>
  /** Records that failed and did not succeed since, by key, in the order of the journal. */
  readonly failed: Map<string, NotedFailure>
  /** CRC-32 of the output up to the mark, as it is. */
  readonly outCrc: number
  /** The output does not reach as far as the journal says. */
  readonly isCut: boolean
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
  outCrc: 0,
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

export interface OutputToCheck {
  readonly path: string
  /** Take it as it is, whatever its text is. */
  readonly anyText?: boolean
}

/**
 * Reads a journal as far as it is sound and the output bears it out; without an output to check, as far as it is sound.
 * `undefined` when not even its first line is whole: no record can have been written by that run. Throws `JournalError` when
 * the output was changed.
 */
export async function readJournal(path: string, output?: OutputToCheck): Promise<JournalState | undefined> {
  let replay: JournalReplay | undefined
  const prefix = output === undefined ? undefined : await FilePrefix.open(output.path)
  try {
    for await (const { text, end } of wholeLines(path)) {
      const line = parseJournalLine(text)
      if (line === undefined) break
      if (replay === undefined) {
        if (line.type !== 'run') break
        replay = new JournalReplay(line, end)
      } else if (line.type === 'mark') {
        const crc = prefix === undefined ? line.outCrc : await prefix.crcAt(line.outOff)
        if (crc === undefined) {
          replay.isCut = true
          break
        }
        if (crc !== line.outCrc && output?.anyText !== true) {
          throw new JournalError(
            `${output?.path} is not as the run of ${path} left it: its first ${line.outOff} bytes have changed; put it back, or start afresh with --force`,
          )
        }
        replay.close(line, end, crc)
      } else if (line.type === 'run') break
      else replay.add(line, end)
    }
  } finally {
    await prefix?.close()
  }
  return replay?.state()
}

/** The lines of the errors file that a journal holds for these failures, in its order. */
export async function* failureEntries(path: string, failed: Iterable<NotedFailure>): AsyncGenerator<string> {
  const wanted = new Set([...failed].map(({ end }) => end))
  if (wanted.size === 0) return
  for await (const { text, end } of wholeLines(path)) {
    if (!wanted.has(end)) continue
    yield JSON.stringify((JSON.parse(text) as FailLine).entry)
    wanted.delete(end)
    if (wanted.size === 0) return
  }
}

/** Finished records are swept up each time this many more are known. */
const SWEEP_EVERY = 100_000

class JournalReplay {
  isCut = false
  readonly #run: RunLine
  #mark = START_MARK
  #outCrc = 0
  #journalBytes: number
  /** Finished records with their places. */
  readonly #done = new Map<string, DoneLine>()
  readonly #failed = new Map<string, NotedFailure>()
  #group: { line: DoneLine | FailLine; end: number }[] = []
  #sweepAt = SWEEP_EVERY

  constructor(run: RunLine, endOffset: number) {
    this.#run = run
    this.#journalBytes = endOffset
  }

  add(line: DoneLine | FailLine, end: number): void {
    this.#group.push({ line, end })
  }

  close(mark: MarkLine, endOffset: number, outCrc: number): void {
    this.#mark = mark
    this.#outCrc = outCrc
    this.#journalBytes = endOffset
    for (const { line, end } of this.#group) {
      // Taken out first, so that the map is in the order of the journal.
      this.#failed.delete(line.k)
      if (line.type === 'fail') this.#failed.set(line.k, { final: line.final, end })
      else this.#done.set(line.k, line)
    }
    this.#group = []
    if (this.#done.size < this.#sweepAt) return
    this.#sweep()
    this.#sweepAt = this.#done.size + SWEEP_EVERY
  }

  state(): JournalState {
    this.#sweep()
    return {
      run: this.#run,
      mark: this.#mark,
      journalBytes: this.#journalBytes,
      done: new Set(this.#done.keys()),
      failed: this.#failed,
      outCrc: this.#outCrc,
      isCut: this.isCut,
    }
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

const CHUNK_BYTES = 2 ** 20

/** Reads a file from its start and gives checksums of its text up to given places. About 0.2 ms of CPU time for each MiB. */
export class FilePrefix {
  readonly #file: FileHandle | undefined
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  #offset = 0
  #crc = 0

  private constructor(file: FileHandle | undefined) {
    this.#file = file
  }

  /** A file that is not there has no bytes. */
  static async open(path: string): Promise<FilePrefix> {
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw new BatchOutputError(`cannot read ${path}`, error)
    })
    return new FilePrefix(file)
  }

  /** CRC-32 of the bytes before `offset`, or `undefined` when there are not so many. To be asked in rising order. */
  async crcAt(offset: number): Promise<number | undefined> {
    while (this.#offset < offset) {
      const length = Math.min(CHUNK_BYTES, offset - this.#offset)
      const { bytesRead = 0 } = (await this.#file?.read(this.#buffer, 0, length, this.#offset)) ?? {}
      if (bytesRead === 0) return undefined
      this.#crc = crc32(this.#buffer.subarray(0, bytesRead), this.#crc)
      this.#offset += bytesRead
    }
    return this.#offset === offset ? this.#crc : undefined
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }
}
