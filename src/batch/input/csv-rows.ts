/**
 * Cuts CSV text into rows: a row ends at a line feed outside quotes. A row whose quotes are wrong (RFC 4180, section
 * 2) is marked with its fault and kept from the parser, which it would put out of step with the rows after it.
 */

/** The fault of a row with other line ends than the rest of the file. */
export const CR_IN_ROW = 'a carriage return stands alone outside quotes'

export interface CsvRow {
  /** The row's text without its line end, as Latin-1: one character for each byte. Empty for an empty line. */
  readonly text: string
  readonly line: number
  readonly offset: number
  /** Offset behind the row and its line end. */
  readonly endOffset: number
  /** Why the row cannot be parsed. */
  readonly fault: string | undefined
}

export class CsvRows {
  readonly #maxRowBytes: number
  readonly #delimiter: string
  #text = ''
  /** There is no row end before this index of the text. */
  #scanned = 0
  #rowStart = 0
  #inQuotes = false
  /** Where a quote would undo the closing of the quote before it: `""` is a quote inside quotes. */
  #reopensAt = -1
  /** The next quote, as far as it was looked for; -1 when the text has no more. */
  #quoteAt = -1
  /** The row is longer than the limit: its rest is dropped. Its quotes still show where it ends. */
  #dropping = false
  #line: number
  #offset: number

  constructor(delimiter: string, maxRowBytes: number, startOffset: number, startLine = 1) {
    this.#maxRowBytes = maxRowBytes
    this.#offset = startOffset
    this.#line = startLine
    this.#delimiter = delimiter
  }

  /** Takes in more text and gives the rows that are complete with it. */
  add(latin1: string): CsvRow[] {
    this.#text += latin1
    this.#quoteAt = this.#text.indexOf('"', this.#scanned)
    const rows: CsvRow[] = []
    for (let end = this.#rowEnd(); end >= 0; end = this.#rowEnd()) {
      this.#push(rows, this.#text.slice(this.#rowStart, end), end + 1 - this.#rowStart)
      this.#rowStart = end + 1
    }
    this.#text = this.#text.slice(this.#rowStart)
    this.#reopensAt -= this.#rowStart
    this.#rowStart = 0
    this.#scanned = this.#text.length
    // One more may be the carriage return of a line end.
    if (this.#text.length > this.#maxRowBytes + 1 && !this.#dropping) this.#giveUp(rows)
    else if (this.#dropping) this.#drop()
    return rows
  }

  /** The last row, when the text does not end with a line end. */
  end(): CsvRow[] {
    const rows: CsvRow[] = []
    if (this.#text.length > 0 && !this.#dropping) this.#push(rows, this.#text, this.#text.length)
    this.#text = ''
    return rows
  }

  /** Index of the next line feed outside quotes, or -1. */
  #rowEnd(): number {
    for (;;) {
      if (this.#inQuotes) {
        const close = this.#text.indexOf('"', this.#scanned)
        if (close < 0) return -1
        this.#inQuotes = false
        this.#scanned = close + 1
        this.#reopensAt = close + 1
      }
      const feed = this.#text.indexOf('\n', this.#scanned)
      const quote = this.#nextQuote()
      if (quote >= 0 && (feed < 0 || quote < feed)) {
        this.#inQuotes = this.#opensAt(quote)
        this.#scanned = quote + 1
        continue
      }
      if (feed >= 0) this.#scanned = feed + 1
      return feed
    }
  }

  /** Index of the next quote, or -1; looked for once, not again for each row before it. */
  #nextQuote(): number {
    if (this.#quoteAt >= 0 && this.#quoteAt < this.#scanned) this.#quoteAt = this.#text.indexOf('"', this.#scanned)
    return this.#quoteAt
  }

  /** A quote inside a bare field is a fault of its row, but opens nothing: it must not swallow the rows behind. */
  #opensAt(quote: number): boolean {
    if ((quote === this.#rowStart && !this.#dropping) || quote === this.#reopensAt) return true
    const before = quote - this.#delimiter.length
    return before >= this.#rowStart && this.#text.startsWith(this.#delimiter, before)
  }

  #push(rows: CsvRow[], raw: string, lengthBytes: number): void {
    const { line, offset } = this.#place(raw, lengthBytes)
    if (this.#dropping) {
      this.#dropping = false
      return
    }
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    rows.push({ text, line, offset, endOffset: this.#offset, fault: this.#faultOf(text) })
  }

  #faultOf(text: string): string | undefined {
    if (hasBareCr(text)) return CR_IN_ROW
    if (text.length > this.#maxRowBytes) return this.#tooLong
    if (!text.includes('"') || isWellQuoted(text, this.#delimiter)) return undefined
    return `not valid CSV: ${this.#inQuotes ? 'a quote is not closed' : 'a quote stands where none may'}`
  }

  #giveUp(rows: CsvRow[]): void {
    const fault = hasBareCr(this.#text) ? CR_IN_ROW : this.#tooLong
    const { line, offset } = this.#drop()
    rows.push({ text: '', line, offset, endOffset: this.#offset, fault })
    this.#dropping = true
  }

  get #tooLong(): string {
    return `row is longer than the limit of ${this.#maxRowBytes} bytes`
  }

  /** Keeps what may be a delimiter, behind which a quote opens. */
  #drop(): { line: number; offset: number } {
    const dropped = Math.max(0, this.#text.length - this.#delimiter.length)
    const place = this.#place(this.#text.slice(0, dropped), dropped)
    this.#text = this.#text.slice(dropped)
    this.#reopensAt -= dropped
    this.#scanned = this.#text.length
    return place
  }

  /** Where the row began; moves on behind it. */
  #place(raw: string, lengthBytes: number): { line: number; offset: number } {
    const place = { line: this.#line, offset: this.#offset }
    this.#offset += lengthBytes
    if (lengthBytes > raw.length) this.#line++
    for (let at = raw.indexOf('\n'); at >= 0; at = raw.indexOf('\n', at + 1)) this.#line++
    return place
  }
}

/** Whether there is a carriage return outside quotes, other than at the end. */
function hasBareCr(text: string): boolean {
  const at = text.indexOf('\r')
  if (at < 0 || at === text.length - 1) return false
  return text.split('"').some((part, index) => index % 2 === 0 && part.includes('\r'))
}

/** Whether quotes stand only around whole fields, and doubled inside them. No pattern: a row may be megabytes long. */
function isWellQuoted(text: string, delimiter: string): boolean {
  let at = 0
  for (;;) {
    if (text[at] === '"') {
      let close = text.indexOf('"', at + 1)
      while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
      if (close < 0) return false
      at = close + 1
    } else {
      const next = text.indexOf(delimiter, at)
      const quote = text.indexOf('"', at)
      if (quote >= 0 && (next < 0 || quote < next)) return false
      at = next < 0 ? text.length : next
    }
    if (at === text.length) return true
    if (!text.startsWith(delimiter, at)) return false
    at += delimiter.length
  }
}
