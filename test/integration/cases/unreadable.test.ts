/**
 * Messages that one side writes and the other cannot read: a value nested deeper than the reader's stack allows. A
 * thread has a larger stack than the main thread, unless its `resourceLimits` say otherwise.
 */

import { describe, expect } from 'vitest'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, within } from '../../support/outcome.js'

const neighbours = { module: fixtureUrl('neighbours.mjs') }
const SECOND_MS = 1_000 * SLACK
const LEVELS = 4_000

describe('a result that the caller cannot read', () => {
  caseTest('fails its own task, and nobody else’s', async ({ pool }) => {
    const one = pool(neighbours)
    const before = one.run('plus', 1)
    const deep = errorOf(SECOND_MS, one.run('nested', LEVELS))
    const after = one.run('plus', 2)
    expect(await deep).toMatchObject({ code: 'EVENKEEL_CLONE', task: 'nested', path: 'result' })
    expect(await within(SECOND_MS, Promise.all([before, after]))).toEqual([2, 3])
    expect(one.snapshot().workers[0]).toMatchObject({ outstanding: 0, restarts: 0 })
  })

  caseTest('does not keep the pool from closing', async ({ closingPool }) => {
    const one = closingPool(neighbours)
    const deep = errorOf(SECOND_MS, one.run('nested', LEVELS))
    await within(SECOND_MS, one.close())
    expect((await deep).code).toBe('EVENKEEL_CLONE')
  })

  caseTest('is settled although its caller was aborting it', async ({ pool }) => {
    const one = pool(neighbours)
    const controller = new AbortController()
    const deep = errorOf(SECOND_MS, one.run('nested', LEVELS, { signal: controller.signal, runTimeoutMs: 5_000 }))
    setTimeout(() => controller.abort(), 1)
    expect(['EVENKEEL_CLONE', 'EVENKEEL_ABORTED']).toContain((await deep).code)
  })

  caseTest('may be the property of an error: the error arrives', async ({ pool }) => {
    const one = pool(neighbours)
    expect((await errorOf(SECOND_MS, one.run('throwsNested', LEVELS))).message).toBe('deep')
  })
})

describe('what a task says that the caller cannot read', () => {
  caseTest('ends a stream with an error after the items before it', async ({ pool }) => {
    const one = pool(neighbours)
    for (const name of ['items', 'pausing']) {
      const seen: unknown[] = []
      const read = async () => {
        for await (const item of one.stream(name, LEVELS)) seen.push(item)
      }
      expect(await errorOf(SECOND_MS, read())).toMatchObject({ code: 'EVENKEEL_CLONE', path: 'item' })
      expect(seen).toEqual([1])
    }
  })

  caseTest('fails the task whose progress it was', async ({ pool }) => {
    const one = pool(neighbours)
    const seen: unknown[] = []
    const told = one.run('tells', LEVELS, { onProgress: (value) => seen.push(value) })
    expect(await errorOf(SECOND_MS, told)).toMatchObject({ code: 'EVENKEEL_CLONE', path: 'progress' })
    expect(seen).toEqual([1])
  })
})

describe('a payload that the worker cannot read', () => {
  const small = { ...neighbours, resourceLimits: { stackSizeMb: 0.4 } }
  const deep = (levels: number) => {
    let value: object = {}
    for (let level = 0; level < levels; level++) value = { value }
    return value
  }

  caseTest('fails its own task, and nobody else’s', async ({ pool }) => {
    const one = pool(small)
    await within(SECOND_MS, one.ready())
    const before = one.run('plus', 1)
    const lost = errorOf(SECOND_MS, one.run('sizeOfNested', deep(1_200)))
    const after = one.run('plus', 2)
    expect(await lost).toMatchObject({ code: 'EVENKEEL_CLONE', task: 'sizeOfNested', path: 'payload' })
    expect(await within(SECOND_MS, Promise.all([before, after]))).toEqual([2, 3])
  })
})
