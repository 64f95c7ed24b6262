import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from './chromium.js'

describe('chromiumPath', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-chromium-'))
    for (const name of ['chromium-browser', 'other']) {
      writeFileSync(join(folder, name), '')
      chmodSync(join(folder, name), 0o755)
    }
    writeFileSync(join(folder, 'chromium'), '')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('takes the first name on the path that can be executed', () => {
    expect(chromiumPath({ PATH: folder }, '')).toBe(join(folder, 'chromium-browser'))
  })

  test('prefers the path that was named, and refuses one that cannot be executed', () => {
    expect(chromiumPath({ PATH: folder, CHROMIUM_PATH: join(folder, 'other') }, '')).toBe(join(folder, 'other'))
    expect(() => chromiumPath({ CHROMIUM_PATH: join(folder, 'gone') }, '')).toThrow('cannot be executed')
  })

  test('says what to do when there is none', () => {
    expect(() => chromiumPath({ PATH: '' }, join(folder, 'gone'))).toThrow('need Chromium: install it')
  })
})
