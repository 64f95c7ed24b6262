import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readPageFiles } from '../../src/dashboard/page-files.js'

const folder = new URL('../../src/dashboard/page/', import.meta.url)

test('every file of the page is served, the page itself as the root', async () => {
  const files = await readPageFiles()
  const served = (await readdir(folder)).map((name) => (name === 'index.html' ? '/' : `/${name}`))
  expect([...files.keys()].sort()).toEqual([...served, '/uplot.css', '/uplot.js'].sort())
  expect(files.get('/')?.contentType).toContain('text/html')
})

test('the page and its modules name only files that are served', async () => {
  const files = await readPageFiles()
  const named = [...files]
    .filter(([path]) => !path.startsWith('/uplot'))
    .flatMap(([, { body }]) => [...body.toString().matchAll(/(?:src|href)="([^"]+)"|from '\.\/([^']+)'/g)])
    .map(([, attribute, specifier]) => `/${attribute ?? specifier}`)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !files.has(path))).toEqual([])
})
