/**
 * CSV with a header row (RFC 4180). csv-parse splits on this thread, because only a reader that saw every quote
 * before knows where a row ends. A row becomes the JSON text of an object and goes on like a line of JSON.
 */

import { isUtf8 } from 'node:buffer'
import { type Parser, parse } from 'csv-parse'
import { ArenaText } from './arena-text.js'
import { BatchInputError } from './batch-errors.js'
import type { ByteSource } from './byte-source.js'
import { type CsvRow, CsvRows } from './csv-rows.js'
import { InputList } from './input-list.js'
import { InputRecord, type RecordReader } from './record.js'
import type { RecordArena } from './record-arena.js'
import type { TextChecksums } from './text-checksums.js'

export interface CsvOptions {
  readonly delimiter: string
  readonly maxRecordBytes: number
}

class InvalidUtf8Error extends Error {}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

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
  #rows: CsvRows | undefined
  #parser: Parser | undefined
  /** Rows and what the parser made of them, both in input order. */
  #waiting: CsvRow[] = []
  #parsed: string[][] = []
  #records: InputRecord[] = []
  #given = 0
  #chunkBytes = 0
  #header: string[] | undefined

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
    const { delimiter, maxRecordBytes } = this.#options
    this.#rows ??= new CsvRows(latin1(delimiter), maxRecordBytes, this.#inputs.skippedBytes)
    this.#chunkBytes = step.type === 'bytes' ? step.bytes.length : 0
    await this.#parse(step.type === 'bytes' ? this.#rows.add(step.bytes.toString('latin1')) : this.#rows.end())
    if (step.type === 'end') {
      const parser = this.#parser
      if (parser !== undefined) await new Promise<void>((resolve) => void parser.once('end', resolve).end())
      await this.#take()
      this.#rows = undefined
      this.#parser = undefined
      this.#header = undefined
    }
    return true
  }

  async close(): Promise<void> {
    this.#parser?.destroy()
    await this.#inputs.close()
    this.#text.close()
  }

  async #parse(rows: readonly CsvRow[]): Promise<void> {
    this.#parser ??= this.#openParser()
    const parser = this.#parser
    // Not by spreading into `push`: a chunk may hold more rows than a call may have arguments.
    this.#waiting = this.#waiting.concat(rows)
    const good = rows.filter(({ fault }) => fault === undefined).map(({ text }) => `${text}\n`)
    if (good.length > 0) {
      await new Promise((resolve) => parser.write(Buffer.from(good.join(''), 'latin1'), resolve))
    }
    await this.#take()
  }

  #openParser(): Parser {
    const parser = parse({
      delimiter: latin1(this.#options.delimiter),
      encoding: 'latin1',
      record_delimiter: '\n',
      // Rows of the wrong length are judged here, one by one, instead of ending the run.
      relax_column_count: true,
      on_record: (fields: string[]) => {
        this.#parsed.push(fields)
        return null
      },
    })
    parser.resume()
    return parser
  }

  /** Pairs rows with their fields; the parser may keep its last row until it sees more. */
  async #take(): Promise<void> {
    let row = 0
    let parsed = 0
    for (; row < this.#waiting.length; row++) {
      const next = this.#waiting[row]!
      if (next.fault !== undefined) this.#add(next, undefined, next.fault)
      else if (parsed === this.#parsed.length) break
      else await this.#accept(next, this.#parsed[parsed++]!)
    }
    this.#waiting = this.#waiting.slice(row)
    this.#parsed = this.#parsed.slice(parsed)
  }

  async #accept(row: CsvRow, fields: string[]): Promise<void> {
    if (this.#header === undefined) {
      this.#readHeader(fields)
      return
    }
    const count = this.#header.length
    if (fields.length !== count) {
      this.#add(row, undefined, `row has ${fields.length} fields, the header has ${count}`)
      return
    }
    try {
      // Without a prototype, a column named __proto__ is a column like any other.
      const object: Record<string, string> = Object.create(null)
      for (const [index, name] of this.#header.entries()) object[name] = fieldText(fields[index]!)
      this.#add(row, await this.#text.place(Buffer.from(JSON.stringify(object))), undefined)
    } catch (error) {
      if (!(error instanceof InvalidUtf8Error)) throw error
      this.#add(row, undefined, error.message)
    }
  }

  #add({ line, offset, endOffset }: CsvRow, place: InputRecord['place'], fault: string | undefined): void {
    const { name } = this.#sources[this.#inputs.index]!
    if (this.#header === undefined) throw new BatchInputError(`cannot read ${name}: its header is ${fault}`, name)
    this.#records.push(new InputRecord(place, this.#inputs.index, line, offset, endOffset, fault))
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
