import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { fuzzCuts, fuzzForeign, fuzzInput, fuzzPools } from './input-fuzz.js'
import { scratchFolder } from './scratch-folder.js'

const FIRST = 1_000
const CASES = 20_000

describe('every record is passed, counted as bad, or the run ends with the cause', { timeout: 900_000 }, () => {
  test('whatever the input is', async () => {
    const folder = scratchFolder()
    const pools = fuzzPools()
    for (let seed = FIRST; seed < FIRST + CASES; seed++) await fuzzInput(seed, pools, folder)
  })

  test('wherever an input is cut', async () => {
    const folder = scratchFolder()
    const pools = fuzzPools()
    const small = [
      [Buffer.from('\ufeff{"a":"ü😀"}\r\n\n[1]\n2'), { format: 'jsonl' }],
      [Buffer.from('a\r\n\nü😀\nb\r'), { format: 'lines' }],
      [Buffer.from('sep=;\r\na;"b";\r\n1;"x ""y"";\nü"\n\n2;3\n'), { format: 'csv' }],
      [Buffer.from('a\0\0ü😀\0\n'), { format: 'nul' }],
    ] as const
    for (const [bytes, options] of small) {
      await fuzzCuts(bytes, options, pools, folder)
      await fuzzCuts(gzipSync(bytes), options, pools, folder)
      await fuzzCuts(Buffer.concat([gzipSync(bytes), gzipSync(bytes)]), options, pools, folder)
    }
  })

  test('an archive is refused', () => fuzzForeign(fuzzPools(), scratchFolder()))
})
