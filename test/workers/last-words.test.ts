import { describe, expect, test } from 'vitest'
import { DONE } from '../../src/board/claims.js'
import { decodeError } from '../../src/protocol/error-transfer.js'
import { PlainTask } from '../engine/lane-tasks.js'
import { RealThread } from '../engine/real-thread.js'

const NOBODY = -1
const tick = 'await new Promise((resolve) => setTimeout(resolve, 5))'

/** I/O tasks that wait for ever, so that two of them run side by side. */
const text = `
  export const kinds = { innocent: 'io', late: 'io', rejects: 'io', exits: 'io', chain: 'io', done: 'io' }
  const forever = () => new Promise(() => {})
  export const innocent = forever
  export const late = () => { setTimeout(() => { throw new RangeError('late') }, 5); return forever() }
  export const rejects = () => { ${tick.replace('await ', '')}.then(() => Promise.reject(new TypeError('nobody caught me'))); return forever() }
  export const exits = () => { setTimeout(() => process.exit(4), 5); return forever() }
  export const chain = async () => { ${tick}; ${tick}; setImmediate(() => { throw new Error('deep') }); return forever() }
  export const done = () => { setTimeout(() => { throw new Error('after its answer') }, 20); return 'fine' }
  export const sync = () => process.exit(5)
  export const echo = (value) => value`

async function running(...names: string[]) {
  const real = await new RealThread(text).loaded()
  const tasks = real.post(
    ...names.map((name) => new PlainTask({ name, kind: name === 'sync' || name === 'echo' ? 'cpu' : 'io' })),
  )
  const keys = tasks.map(({ key }) => key)
  return { real, tasks, keys }
}

describe('the owner of what ends a thread', () => {
  test.each([
    ['an exception in a timer', 'late', 'late'],
    ['an unhandled rejection', 'rejects', 'nobody caught me'],
    ['an exception after several awaits', 'chain', 'deep'],
  ])('of %s is named, not its neighbour', async (_what, name, message) => {
    const { real, keys } = await running('innocent', name)
    await real.exited()
    expect(real.lane.row.culprit).toBe(keys[1]! + 1)
    const [, uncaught] = real.controls
    expect(uncaught).toMatchObject({ type: 'uncaught', key: keys[1] })
    if (uncaught?.type === 'uncaught') expect(decodeError(uncaught.error)).toMatchObject({ message })
  })

  test('of process.exit in a timer is named', async () => {
    const { real, keys } = await running('exits', 'innocent')
    expect((await real.exited()).exitCode).toBe(4)
    expect(real.lane.row.culprit).toBe(keys[0]! + 1)
    expect(real.controls).toHaveLength(1)
  })

  test('of process.exit in a synchronous task is named; answers before it arrive', async () => {
    const { real, keys } = await running('echo', 'echo', 'sync', 'innocent')
    expect((await real.exited()).exitCode).toBe(5)
    expect(real.lane.row.culprit).toBe(keys[2]! + 1)
    expect(real.answers).toHaveLength(2)
  })

  test('is nobody once the task was answered', async () => {
    const { real, tasks } = await running('done', 'innocent')
    await real.exited()
    expect(real.answers).toEqual(['fine'])
    expect(real.lane.row.culprit).toBe(NOBODY)
    expect(real.lane.stateOf(tasks[1]!)).not.toBe(DONE)
    expect(real.controls[1]).toMatchObject({ type: 'uncaught' })
  })

  test('is nobody for what the module itself started', async () => {
    const real = await new RealThread(`
      export const innocent = () => new Promise(() => {})
      setTimeout(() => { throw new Error('of the module') }, 100)`).loaded()
    real.run('innocent')
    await real.exited()
    expect(real.lane.row.culprit).toBe(NOBODY)
  })
})

describe('an exception that the module itself handles', () => {
  test('ends nothing, says nothing, and blames nobody for a later end', async () => {
    const real = await new RealThread(`
      process.on('uncaughtException', () => {})
      export const kinds = { late: 'io' }
      export const late = () => new Promise((resolve) => setTimeout(() => { setTimeout(resolve, 5, 'survived'); throw new Error('handled') }, 5))
      export const leave = () => process.exit(6)`).loaded()
    real.post(new PlainTask({ name: 'late', kind: 'io' }))
    await real.settled(1)
    expect(real.answers).toEqual(['survived'])
    expect(real.lane.row.culprit).toBe(0)
    const { key } = real.run('leave')
    expect((await real.exited()).exitCode).toBe(6)
    expect(real.lane.row.culprit).toBe(key + 1)
    expect(real.controls).toHaveLength(1)
  })

  test('by ending the thread is still the first cause', async () => {
    const real = await new RealThread(`
      process.on('uncaughtException', () => process.exit(9))
      export const kinds = { late: 'io', innocent: 'io' }
      export const innocent = () => new Promise(() => {})
      export const late = () => new Promise(() => setTimeout(() => { throw new Error('first') }, 5))`).loaded()
    const [, late] = real.post(
      new PlainTask({ name: 'innocent', kind: 'io' }),
      new PlainTask({ name: 'late', kind: 'io' }),
    )
    const { key } = late!
    expect((await real.exited()).exitCode).toBe(9)
    expect(real.lane.row.culprit).toBe(key + 1)
    expect(real.controls[1]).toMatchObject({ type: 'uncaught', key })
  })
})
