/**
 * CSV with a header row (RFC 4180). csv-parse splits on this thread, because only a reader that saw every quote
 * before knows where a row ends. A row becomes the JSON text of an object and goes on like a line of JSON.
 */

import { isUtf8 } from 'node:buffer'
import { type Parser, parse } from 'csv-parse'
import { BLOCK_SIZE_BYTES } from '../base/record-transfer.js'
import { ArenaText } from './arena-text.js'
import { BatchInputError } from './batch-errors.js'
import type { ByteSource } from './byte-source.js'
import { type CsvRow, CsvRows } from './csv-rows.js'
import { InputList } from './input-list.js'
import { InputRecord } from './record.js'
import type { RecordArena } from './record-arena.js'
import type { RecordReader } from './record-supply.js'
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
  #nextRow = 0
  #nextFields = 0
  #takenBytes = 0
  /** The text of the input is over, but not all of its rows are given out. */
  #isEnding = false
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
    const left = this.#waiting.length - this.#nextRow + Math.max(0, this.#records.length - this.#given)
    return this.#inputs.bytesUsed((this.#chunkBytes * left) / Math.max(1, this.#waiting.length))
  }

  next(): InputRecord | undefined {
    return this.#records[this.#given++]
  }

  async advance(): Promise<boolean> {
    this.#records = []
    this.#given = 0
    if (!this.#canTake()) {
      const step = await this.#inputs.next()
      if (step === undefined) return false
      if (step.type === 'foreign') {
        this.#records.push(new InputRecord(undefined, this.#inputs.index, 1, 0, 0, step.message))
        return true
      }
      await this.#parse(step)
    }
    await this.#take()
    if (this.#isEnding && !this.#canTake()) this.#leaveInput()
    return true
  }

  async close(): Promise<void> {
    this.#parser?.destroy()
    await this.#inputs.close()
    this.#text.close()
  }

  async #parse(step: { readonly type: 'bytes'; readonly bytes: Buffer } | { readonly type: 'end' }): Promise<void> {
    const { delimiter, maxRecordBytes } = this.#options
    this.#rows ??= new CsvRows(latin1(delimiter), maxRecordBytes, this.#inputs.skippedBytes)
    this.#parser ??= this.#openParser()
    const parser = this.#parser
    this.#chunkBytes = step.type === 'bytes' ? step.bytes.length : 0
    const rows = step.type === 'bytes' ? this.#rows.add(step.bytes.toString('latin1')) : this.#rows.end()
    // Not by spreading into `push`: a chunk may hold more rows than a call may have arguments.
    this.#waiting = this.#waiting.slice(this.#nextRow).concat(rows)
    this.#parsed = this.#parsed.slice(this.#nextFields)
    this.#nextRow = 0
    this.#nextFields = 0
    const good = rows.filter(({ fault }) => fault === undefined).map(({ text }) => `${text}\n`)
    if (good.length > 0) {
      await new Promise((resolve) => parser.write(Buffer.from(good.join(''), 'latin1'), resolve))
    }
    if (step.type === 'bytes') return
    await new Promise<void>((resolve) => void parser.once('end', resolve).end())
    this.#isEnding = true
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

  /** Whether the next row is known in full; the parser may keep its last row until it sees more. */
  #canTake(): boolean {
    const row = this.#waiting[this.#nextRow]
    return row !== undefined && (row.fault !== undefined || this.#nextFields < this.#parsed.length)
  }

  /**
   * Pairs rows with their fields, a block's worth at a time: rows grow when column names are put to them, and
   * those of one chunk could fill the arena before the first of them is on its way.
   */
  async #take(): Promise<void> {
    this.#takenBytes = 0
    while (this.#takenBytes < BLOCK_SIZE_BYTES && this.#canTake()) {
      const row = this.#waiting[this.#nextRow++]!
      if (row.fault !== undefined) this.#add(row, undefined, row.fault)
      else await this.#accept(row, this.#parsed[this.#nextFields++]!)
    }
  }

  #leaveInput(): void {
    this.#rows = undefined
    this.#parser = undefined
    this.#header = undefined
    this.#isEnding = false
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
      const text = Buffer.from(JSON.stringify(object))
      this.#takenBytes += text.length
      this.#add(row, await this.#text.place(text), undefined)
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
