/**
 * CSV with a header row (RFC 4180). `csv-rows.ts` finds where rows end, and csv-parse splits them into fields. Both
 * run on this thread, because only a reader that has seen every earlier quote knows where a row ends. A row becomes
 * the JSON text of an object, and goes on like a line of JSON.
 */

import { isUtf8 } from 'node:buffer'
import { type Parser, parse } from 'csv-parse'
import { BLOCK_SIZE_BYTES } from '../../records/record-transfer.js'
import { BatchInputError } from '../options/batch-errors.js'
import { faultyInput, InputRecord, type RecordReader } from '../records/record.js'
import { ArenaText, type RecordArena } from '../records/record-arena.js'
import type { ByteSource } from './byte-source.js'
import { CsvHeader, SeparatorLine } from './csv-head.js'
import { CR_IN_ROW, type CsvRow, CsvRows } from './csv-rows.js'
import type { TextChecksums } from './input-checksum.js'
import { InputList } from './input-list.js'
import { CR_ALONE, LF } from './text-bytes.js'

export interface CsvOptions {
  readonly delimiter: string
  readonly maxRecordBytes: number
}

const DEFAULT_DELIMITER = ','

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
  /** The text of the input has ended, but some of its rows are not given out yet. */
  #isEnding = false
  #records: InputRecord[] = []
  #given = 0
  #chunkBytes = 0
  #header: CsvHeader | undefined
  #separatorLine = new SeparatorLine()

  constructor(arena: RecordArena, sources: readonly ByteSource[], options: CsvOptions, checksums?: TextChecksums) {
    this.#options = options
    this.#sources = sources
    this.#inputs = new InputList(sources, LF, checksums)
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
        this.#records.push(faultyInput(this.#inputs.index, step.message))
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
    const isLast = step.type === 'end'
    const text = this.#separatorLine.take(step.type === 'bytes' ? step.bytes.toString('latin1') : '', isLast)
    if (!this.#separatorLine.isRead) return
    this.#rows ??= this.#openRows()
    this.#parser ??= this.#openParser()
    const parser = this.#parser
    this.#chunkBytes = text.length
    const rows = isLast ? this.#rows.add(text).concat(this.#rows.end()) : this.#rows.add(text)
    // Not by spreading into `push`: a chunk may hold more rows than a call may have arguments.
    this.#waiting = this.#waiting.slice(this.#nextRow).concat(rows)
    this.#parsed = this.#parsed.slice(this.#nextFields)
    this.#nextRow = 0
    this.#nextFields = 0
    const good = rows.filter(isForParser).map((row) => `${row.text}\n`)
    if (good.length > 0) {
      await new Promise((resolve) => parser.write(Buffer.from(good.join(''), 'latin1'), resolve))
    }
    if (!isLast) return
    await new Promise<void>((resolve) => void parser.once('end', resolve).end())
    this.#isEnding = true
  }

  /** The delimiter that the input names overrides the default, but not one that the user gave. */
  get #delimiter(): string {
    const { delimiter } = this.#options
    const named = this.#separatorLine.delimiter
    if (named === undefined || named === latin1(delimiter)) return latin1(delimiter)
    if (delimiter === DEFAULT_DELIMITER) return named
    const { name } = this.#sources[this.#inputs.index]!
    throw new BatchInputError(`cannot read ${name}: it names '${named}' as its delimiter, not '${delimiter}'`, name)
  }

  #openRows(): CsvRows {
    const { lengthBytes } = this.#separatorLine
    const { maxRecordBytes } = this.#options
    const startOffset = this.#inputs.skippedBytes + lengthBytes
    return new CsvRows(this.#delimiter, maxRecordBytes, startOffset, lengthBytes === 0 ? 1 : 2)
  }

  #openParser(): Parser {
    const parser = parse({
      delimiter: this.#delimiter,
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

  /** Whether the next row is complete: the parser may keep its last row until it sees more. */
  #canTake(): boolean {
    const row = this.#waiting[this.#nextRow]
    return row !== undefined && (!isForParser(row) || this.#nextFields < this.#parsed.length)
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
      else if (row.text !== '') await this.#accept(row, this.#parsed[this.#nextFields++]!)
      // With one column an empty line is a value; else it is passed over, as it is before the header.
      else if (this.#header?.hasOneColumn) await this.#accept(row, [''])
    }
  }

  #leaveInput(): void {
    this.#rows = undefined
    this.#parser = undefined
    this.#header = undefined
    this.#separatorLine = new SeparatorLine()
    this.#isEnding = false
  }

  async #accept(row: CsvRow, fields: string[]): Promise<void> {
    if (this.#header === undefined) {
      this.#readHeader(fields)
      return
    }
    const fault = this.#header.faultOf(fields)
    if (fault !== undefined) {
      this.#add(row, undefined, fault)
      return
    }
    try {
      const text = Buffer.from(this.#header.json(fields, fieldText))
      this.#takenBytes += text.length
      this.#add(row, await this.#text.place(text), undefined)
    } catch (error) {
      if (!(error instanceof InvalidUtf8Error)) throw error
      this.#add(row, undefined, error.message)
    }
  }

  #add({ line, offset, endOffset }: CsvRow, place: InputRecord['place'], fault: string | undefined): void {
    const { name } = this.#sources[this.#inputs.index]!
    if (this.#header === undefined) {
      const why = fault === CR_IN_ROW ? CR_ALONE : `its header is ${fault}`
      throw new BatchInputError(`cannot read ${name}: ${why}`, name)
    }
    this.#records.push(new InputRecord(place, this.#inputs.index, line, offset, endOffset, fault))
  }

  #readHeader(fields: readonly string[]): void {
    const { name } = this.#sources[this.#inputs.index]!
    let names: string[]
    try {
      names = fields.map(fieldText)
    } catch (error) {
      throw new BatchInputError(`cannot read ${name}: header ${(error as Error).message}`, name)
    }
    try {
      this.#header = new CsvHeader(names)
    } catch (error) {
      throw new BatchInputError(`cannot read ${name}: ${(error as Error).message}`, name)
    }
  }
}

/** Whether the parser makes fields of it. */
function isForParser({ text, fault }: CsvRow): boolean {
  return fault === undefined && text !== ''
}
