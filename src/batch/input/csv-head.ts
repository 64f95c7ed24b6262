/** The first lines of a CSV file: the line that names the delimiter, and the header, which makes objects of the rows. */

/** Length of the longest line that names the delimiter. */
const LONGEST = '"sep=;"\r\n'.length

/**
 * The line `sep=;`, which Excel reads and writes in front of the header to name the delimiter. Writers that quote every field
 * quote it too. It is taken off the beginning of the text, once enough of that is there.
 */
export class SeparatorLine {
  /** What it names, once `isRead`; `undefined` when there is no such line. */
  delimiter: string | undefined
  isRead = false
  /** Length of the line with its end, bytes. */
  lengthBytes = 0
  #text = ''

  /** Gives the text behind the line, as far as it is known. `isLast`: no more text follows. */
  take(latin1: string, isLast: boolean): string {
    if (this.isRead) return latin1
    this.#text += latin1
    const begins = ['sep=', '"sep='].some((start) => start.startsWith(this.#text.slice(0, start.length)))
    const mayBeOne = begins && this.#text.length < LONGEST && !this.#text.includes('\n')
    if (mayBeOne && !isLast) return ''
    this.isRead = true
    const match = /^("?)sep=([^\r\n])\1\r?(\n|$)/.exec(this.#text)
    const text = this.#text
    this.#text = ''
    if (match === null) return text
    this.delimiter = match[2]
    this.lengthBytes = match[0].length
    return text.slice(this.lengthBytes)
  }
}

/** The names of the columns. */
export class CsvHeader {
  readonly #names: readonly string[]
  /** Columns behind the last one with a name, which spreadsheets leave behind. */
  readonly #unnamed: number

  /** Throws what is wrong with the names. */
  constructor(fields: readonly string[]) {
    let named = fields.length
    while (named > 1 && fields[named - 1] === '') named--
    this.#names = fields.slice(0, named)
    this.#unnamed = fields.length - named
    const twice = this.#names.find((name, at) => this.#names.indexOf(name) !== at)
    if (twice !== undefined) throw new Error(`column '${twice}' appears twice`)
  }

  /** With one column alone an empty line is a row like any other, whose value is empty. */
  get hasOneColumn(): boolean {
    return this.#names.length === 1 && this.#unnamed === 0
  }

  /** Why the row does not fit, or `undefined`. */
  faultOf(fields: readonly string[]): string | undefined {
    const count = this.#names.length
    const most = count + this.#unnamed
    if (fields.length < count || fields.length > most) {
      return `row has ${fields.length} fields, the header has ${most}`
    }
    const stray = fields.findIndex((field, at) => at >= count && field !== '')
    return stray < 0 ? undefined : `row has a value in column ${stray + 1}, which has no name`
  }

  /** The row as JSON; `textOf` decodes a field. */
  json(fields: readonly string[], textOf: (field: string) => string): string {
    // Without a prototype, a column named __proto__ is a column like any other.
    const object: Record<string, string> = Object.create(null)
    for (const [index, name] of this.#names.entries()) object[name] = textOf(fields[index]!)
    return JSON.stringify(object)
  }
}
