/** Names for records that outlive a run. */

import { crc32 } from 'node:zlib'
import type { InputRecord } from '../records/record.js'
import type { RecordArena } from '../records/record-arena.js'

/** Reads a JSON pointer (RFC 6901); `undefined` when it leads nowhere. */
export function readPointer(value: unknown, pointer: string): unknown {
  let current = value
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return current
}

/**
 * Works out content keys: what the pointer leads to, numbered where it occurs more than once, so that equal records
 * are done as often as they occur. Parses each record on the caller's thread and remembers every key.
 */
export class ContentKeys {
  readonly #pointer: string
  readonly #arena: RecordArena
  readonly #seen = new Map<string, number>()

  constructor(pointer: string, arena: RecordArena) {
    this.#pointer = pointer
    this.#arena = arena
  }

  /** `undefined` for a record that cannot be parsed or has no such member; its place and text name it then. */
  keyOf(record: InputRecord): string | undefined {
    if (record.place === undefined) return undefined
    let value: unknown
    try {
      value = readPointer(JSON.parse(this.#arena.view(record).toString()), this.#pointer)
    } catch {
      return undefined
    }
    if (value === undefined) return undefined
    const key = typeof value === 'string' ? value : JSON.stringify(value)
    const before = this.#seen.get(key) ?? 0
    this.#seen.set(key, before + 1)
    // A JSON text holds no bare tab, and a string key that ends so would have to be made for the purpose.
    return before === 0 ? key : `${key}\t${before}`
  }
}

/**
 * Names a record by its place, length and text. A CRC of 32 bits beside place and length leaves an edit that
 * keeps all three one chance in four thousand million.
 */
export function placeKey(record: InputRecord, arena: RecordArena): string {
  const text = arena.view(record)
  return `${record.input}:${record.offset}+${record.endOffset - record.offset}:${crc32(text).toString(16)}`
}
