import { expect, test } from 'vitest'
import { filterOptions } from '../../../src/batch/input/record-filter.js'
import { resolveMapOptions } from '../../../src/batch/options/map-options.js'
import { memorySource } from '../scratch-folder.js'

const options = (more: object) => resolveMapOptions({ in: 'a', out: 'b', format: 'lines', ...more })

test('a share needs no count, a number does', async () => {
  const sources = [memorySource('a\nb\n'), memorySource('c')]
  expect(await filterOptions(options({}), sources)).toMatchObject({ share: 1, pick: undefined })
  expect(await filterOptions(options({ sample: 0.5 }), sources)).toMatchObject({ share: 0.5, pick: undefined })
  expect(await filterOptions(options({ sample: { count: 2 } }), sources)).toMatchObject({
    share: 1,
    pick: { count: 2, total: 3 },
  })
})

test('a stream cannot be read twice', async () => {
  const stream = { ...memorySource('a'), sizeBytes: undefined }
  await expect(filterOptions(options({ sample: { count: 2 } }), [stream])).rejects.toMatchObject({
    code: 'EVENKEEL_BATCH_USAGE',
  })
})
