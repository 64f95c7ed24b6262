/** A folder for the files of one test, and small parts that stand in for the real ones. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ByteSource } from '../../src/batch/input/byte-source.js'
import { InputRecord, type RecordOutcome, type SettledRecords } from '../../src/batch/records/record.js'
import type { RecordArena } from '../../src/batch/records/record-arena.js'

export interface ScratchFolder {
  path(name: string): string
  write(name: string, content: string | Buffer): string
  read(name: string): string
}

/** Hundreds of runs that make every file durable wait for the disk, if it is one. */
const MEMORY_DISK = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Goes away when the test is over. */
export function scratchFolder(): ScratchFolder {
  const folder = mkdtempSync(join(MEMORY_DISK, 'evenkeel-batch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string): string => join(folder, name)
  return {
    path,
    read: (name) => readFileSync(path(name), 'utf8'),
    write: (name, content) => {
      writeFileSync(path(name), content)
      return path(name)
    },
  }
}

/** An input of these bytes, cut at these places. */
export function memorySource(content: string | Buffer, cuts: readonly number[] = [], name = 'memory'): ByteSource {
  const bytes = Buffer.from(content)
  return {
    name,
    sizeBytes: bytes.length,
    close: () => undefined,
    async *chunks() {
      let from = 0
      for (const cut of [...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length]) {
        if (cut > from) yield bytes.subarray(from, cut)
        from = Math.max(from, cut)
      }
    },
  }
}

/** Takes settled records by this function, and the lines of stretches by that one. */
export function settledInto(
  pass: (...args: Parameters<SettledRecords['pass']>) => unknown,
  passStretch: (stretch: InputRecord, lines: Buffer) => unknown = () => undefined,
): SettledRecords {
  return {
    pass: (record, outcome) => {
      if (outcome.type === 'ok' && typeof outcome.result !== 'string') passStretch(record, outcome.result)
      else pass(record, outcome)
    },
  }
}

/** The outcome of a stretch whose records all succeeded. */
export function linesOutcome(lines: string | Buffer): RecordOutcome {
  return { type: 'ok', result: Buffer.isBuffer(lines) ? lines : Buffer.from(lines), runMs: undefined }
}

/** A record that stands alone. */
export function loneRecord(seq: number, offset = seq * 10, length = 10): InputRecord {
  const record = new InputRecord(undefined, 0, seq + 1, offset, offset + length, undefined)
  record.seq = seq
  return record
}

/** A record whose text lies in the arena, at the start of a block of its own. */
export async function placedRecord(arena: RecordArena, text: string, seq = 0): Promise<InputRecord> {
  const block = await arena.acquire()
  const length = arena.bytes.write(text, block)
  const record = new InputRecord(arena.hold(block, length), 0, seq + 1, seq * 10, seq * 10 + length + 1, undefined)
  record.seq = seq
  arena.releaseAt(block)
  return record
}

/** Records `seq` to `seq + count - 1`, each of ten bytes, as one. */
export function wholeStretch(seq: number, count: number): InputRecord {
  const offset = seq * 10
  const stretch = new InputRecord(undefined, 0, seq + 1, offset, offset + 10 * count, undefined, count)
  stretch.seq = seq
  return stretch
}
