/** The first row of a CSV file, and what its rows become by it. */

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
