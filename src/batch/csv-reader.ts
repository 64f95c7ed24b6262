/**
 * CSV with a header row (RFC 4180). csv-parse splits on this thread, because only a reader that saw every quote
 * before knows where a row ends. A row becomes the JSON text of an object and goes on like a line of JSON.
 */

import { isUtf8 } from 'node:buffer'
import { type CsvError, type Info, type Parser, parse } from 'csv-parse'
import { ArenaText } from './arena-text.js'
import { BatchInputError } from './batch-errors.js'
import type { ByteSource } from './byte-source.js'
import { InputList } from './input-list.js'
import { InputRecord, type RecordReader } from './record.js'
import type { RecordArena } from './record-arena.js'
import type { TextChecksums } from './text-checksums.js'

export interface CsvOptions {
  readonly delimiter: string
  readonly maxRecordBytes: number
}

type Row = { readonly fields: string[]; readonly info: Info } | { readonly problem: CsvError }

class InvalidUtf8Error extends Error {}

/** csv-parse works on Latin-1, so that no byte is lost; the field's real text is decoded here, strictly. */
function fieldText(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  if (!isUtf8(bytes)) throw new InvalidUtf8Error('record is not valid UTF-8')
  return bytes.toString()
}

export class CsvReader implements RecordReader {
  readonly #options: CsvOptions
  readonly #sources: readonly ByteSource[]
  readonly #inputs: InputList
  readonly #text: ArenaText
  #parser: Parser | undefined
  #rows: Row[] = []
  #records: InputRecord[] = []
  #given = 0
  #chunkBytes = 0
  #header: string[] | undefined
  /** Where the next row starts. */
  #line = 1
  #bytes = 0

  constructor(
    arena: RecordArena,
    sources: readonly ByteSource[],
    options: CsvOptions,
    warn: (message: string) => void,
    checksums?: TextChecksums,
  ) {
    this.#options = options
    this.#sources = sources
    this.#inputs = new InputList(sources, warn, checksums)
    this.#text = new ArenaText(arena)
  }

  get bytesRead(): number {
    const left = this.#records.length - this.#given
    return this.#inputs.bytesUsed(left <= 0 ? 0 : (this.#chunkBytes * left) / this.#records.length)
  }

  next(): InputRecord | undefined {
    return this.#records[this.#given++]
  }

  async advance(): Promise<boolean> {
    this.#records = []
    this.#given = 0
    const step = await this.#inputs.next()
    if (step === undefined) return false
    if (step.type === 'foreign') {
      this.#records.push(new InputRecord(undefined, this.#inputs.index, 1, 0, 0, step.message))
      return true
    }
    this.#parser ??= this.#openParser()
    const parser = this.#parser
    this.#chunkBytes = step.type === 'bytes' ? step.bytes.length : 0
    if (step.type === 'bytes') {
      // The parser may keep what it was given; the source reuses its memory.
      await new Promise((resolve) => parser.write(Buffer.from(step.bytes), resolve))
    } else {
      await new Promise<void>((resolve) => {
        parser.once('end', resolve).end()
      })
    }
    for (const row of this.#rows) await this.#accept(row)
    this.#rows = []
    if (step.type === 'end') this.#leaveInput()
    return true
  }

  async close(): Promise<void> {
    this.#parser?.destroy()
    await this.#inputs.close()
    this.#text.close()
  }

  #openParser(): Parser {
    const parser = parse({
      delimiter: Buffer.from(this.#options.delimiter).toString('latin1'),
      encoding: 'latin1',
      record_delimiter: ['\r\n', '\n'],
      // Rows of the wrong length are judged here, one by one, instead of ending the run.
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: this.#options.maxRecordBytes,
      on_record: (fields: string[], info: Info) => {
        this.#rows.push({ fields, info })
        return null
      },
      on_skip: (problem?: CsvError) => {
        if (problem !== undefined) this.#rows.push({ problem })
        return undefined
      },
      info: false,
    })
    parser.on('error', (error) => this.#rows.push({ problem: error as CsvError }))
    parser.resume()
    return parser
  }

  #leaveInput(): void {
    const { name } = this.#sources[this.#inputs.index]!
    if (this.#header === undefined && this.#bytes > 0) {
      throw new BatchInputError(`cannot read ${name}: its header row is broken`, name)
    }
    this.#parser = undefined
    this.#header = undefined
    this.#line = 1
    this.#bytes = 0
  }

  async #accept(row: Row): Promise<void> {
    const line = this.#line
    const offset = this.#bytes + this.#inputs.skippedBytes
    const info = 'info' in row ? row.info : (row.problem as unknown as Partial<Info>)
    this.#line = Math.max(line, (info.lines ?? line) + ('info' in row ? 0 : 1))
    this.#bytes = Math.max(this.#bytes, info.bytes ?? this.#bytes)
    const end = this.#bytes + this.#inputs.skippedBytes
    const add = (place: InputRecord['place'], fault: string | undefined): void => {
      this.#records.push(new InputRecord(place, this.#inputs.index, line, offset, end, fault))
    }
    if ('problem' in row) {
      if (this.#header !== undefined) add(undefined, `not valid CSV: ${row.problem.message}`)
      return
    }
    if (this.#header === undefined) {
      this.#readHeader(row.fields)
      return
    }
    const count = this.#header.length
    if (row.fields.length !== count) {
      add(undefined, `row has ${row.fields.length} fields, the header has ${count}`)
      return
    }
    try {
      // Without a prototype, a column named __proto__ is a column like any other.
      const object: Record<string, string> = Object.create(null)
      for (const [index, name] of this.#header.entries()) object[name] = fieldText(row.fields[index]!)
      add(await this.#text.place(Buffer.from(JSON.stringify(object))), undefined)
    } catch (error) {
      if (!(error instanceof InvalidUtf8Error)) throw error
      add(undefined, error.message)
    }
  }

  #readHeader(fields: readonly string[]): void {
    const { name } = this.#sources[this.#inputs.index]!
    try {
      this.#header = fields.map(fieldText)
    } catch (error) {
      throw new BatchInputError(`cannot read ${name}: header ${(error as Error).message}`, name)
    }
    const twice = this.#header.find((column, index) => this.#header!.indexOf(column) !== index)
    if (twice !== undefined) throw new BatchInputError(`cannot read ${name}: column '${twice}' appears twice`, name)
  }
}
