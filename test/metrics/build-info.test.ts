import { expect, test } from 'vitest'
import { VERSION } from '../../src/base/version.js'
import { buildInfo } from '../../src/metrics/build-info.js'
import { FamilyMaker } from '../../src/metrics/metric-family.js'

test('the version told is that of the package, beside that of Node', () => {
  expect(buildInfo(new FamilyMaker('p')).samples).toEqual([
    { suffix: '', labels: { pool: 'p', version: VERSION, node: process.versions.node }, value: 1 },
  ])
})
