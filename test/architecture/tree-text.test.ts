import { describe, expect, test } from 'vitest'
import { readTree } from '../support/source/tree.js'

/** Texts of a kind that must not be in any file, and why. Written in pieces, so that this file does not hold them. */
const UNWANTED: readonly { why: string; pattern: RegExp; sample: string }[] = [
  { why: 'a path of one machine', pattern: /(?<![\w.])\/(?:work|root)\/\w/, sample: ['', 'work', 'main'].join('/') },
  { why: 'a home folder', pattern: /(?<![\w.])\/(?:home|Users)\/\w/, sample: ['', 'home', 'me'].join('/') },
  {
    why: 'the host of a package registry',
    pattern: new RegExp(['regis', 'try\\.(?:npmjs|yarnpkg|npmmirror)', '|"res', 'olved": *"http'].join('')),
    sample: ['https://regis', 'try.npmjs.org/a'].join(''),
  },
  {
    why: 'work left undone',
    pattern: new RegExp(`\\b(?:${['TO', 'DO|FIX', 'ME|XX', 'X'].join('')})\\b`),
    sample: ['TO', 'DO: x'].join(''),
  },
]

const texts = readTree(/\.(?:[cm]?[jt]s|json|md|ya?ml|sh|html|css)$|^\.ci\/|^\.[a-z]+$|^LICENSE$/)

describe('no file of the project holds', () => {
  test.each(UNWANTED)('$why', ({ pattern }) => {
    const holders = [...texts].filter(([, text]) => pattern.test(text)).map(([path]) => path)
    expect(holders).toEqual([])
  })

  test.each(UNWANTED)('$why, which a planted sample shows', ({ pattern, sample }) => {
    expect(pattern.test(` "${sample}"`)).toBe(true)
  })

  test('anything unread: the rules see sources, documents, settings and scripts', () => {
    for (const path of ['package.json', 'package-lock.json', '.gitignore', 'src/base/errors.ts']) {
      expect(texts.has(path), path).toBe(true)
    }
  })
})
