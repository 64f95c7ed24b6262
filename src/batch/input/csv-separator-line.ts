/** `sep=;`, which Excel writes and reads in front of the header to name the delimiter. Writers that quote every field quote it too. */

const LONGEST = '"sep=;"\r\n'.length

/** Takes the line off the beginning of the text, once enough of it is there. */
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
