import { expect, test } from 'vitest'
import { EvenkeelError } from '../../src/base/errors.js'
import { mapRecordUrl } from '../../src/base/worker-urls.js'
import { loadFaultText, loadTask } from '../../src/batch/task-loading.js'

test('who cannot be asked is taken to be ready', async () => {
  await loadTask({})
  await loadTask({ ready: async () => undefined })
})

test('a module that cannot be loaded is told of without the part about the task around it', async () => {
  const cause = new Error('why')
  const error = new EvenkeelError('EVENKEEL_MODULE_LOAD', `${mapRecordUrl} could not be loaded: why`, { cause })
  await expect(loadTask({ ready: () => Promise.reject(error) })).rejects.toMatchObject({
    code: 'EVENKEEL_MODULE_LOAD',
    message: 'the module cannot be loaded: why',
    cause,
  })
  const closed = new EvenkeelError('EVENKEEL_CLOSED', 'closed')
  await expect(loadTask({ ready: () => Promise.reject(closed) })).rejects.toBe(closed)
  expect(loadFaultText('theirs could not be loaded: why')).toBe('theirs could not be loaded: why')
})
