import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildInfo, VERSION } from '../../src/metrics/build-info.js'
import { FamilyMaker } from '../../src/metrics/metric-family.js'

test('the version told is that of the package, beside that of Node', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(VERSION).toBe(version)
  expect(buildInfo(new FamilyMaker('p')).samples).toEqual([
    { suffix: '', labels: { pool: 'p', version, node: process.versions.node }, value: 1 },
  ])
})
