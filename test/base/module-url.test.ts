import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { OptionTypeError } from '../../src/base/errors.js'
import { moduleUrlOf } from '../../src/base/module-url.js'

describe('the task module', () => {
  test('a URL is taken as it is', () => {
    const url = new URL('./tasks.js', import.meta.url)
    expect(moduleUrlOf(url)).toBe(url.href)
    expect(moduleUrlOf(url.href)).toBe(url.href)
  })

  test.each(['data:text/javascript,export const a = () => 1', 'node:path'])('%s is taken as it is', (module) => {
    expect(moduleUrlOf(module)).toBe(module)
  })

  test.each(['/a/b.js', '/with space/#odd?.js', '/ünïcode/%41.mjs'])('the absolute path %s becomes its URL', (path) => {
    const url = moduleUrlOf(path)
    expect(url).toBe(pathToFileURL(path).href)
    expect(new URL(url).search + new URL(url).hash).toBe('')
  })

  test('a package name is resolved from the working directory', () => {
    const url = moduleUrlOf('commander')
    expect(url.startsWith(pathToFileURL(join(process.cwd(), 'node_modules', 'commander')).href)).toBe(true)
  })

  test('a name that is found nowhere is left to the worker', () => {
    expect(moduleUrlOf('no-such-package-anywhere')).toBe('no-such-package-anywhere')
  })

  test('a name that is a file in the working directory is refused: a worker would look for a package', () => {
    expect(() => moduleUrlOf('package.json')).toThrow("new URL('./tasks.js', import.meta.url)")
  })

  test.each(['./tasks.js', '../tasks.js', '.', '..', '.\\tasks.js'])(
    '%s is refused with the fix in the message',
    (path) => {
      expect(() => moduleUrlOf(path)).toThrow(OptionTypeError)
      expect(() => moduleUrlOf(path)).toThrow("new URL('./tasks.js', import.meta.url)")
    },
  )

  test.each([undefined, null, 5, '', {}])('%j is refused', (module) => {
    expect(() => moduleUrlOf(module)).toThrow(expect.objectContaining({ option: 'module' }))
  })
})
