/** Arguments that cannot be sent reject their own call, and disturb nothing else. */

import { describe, expect } from 'vitest'
import { Dispatcher } from '../../../src/index.js'
import { caseTest, SLACK } from '../../support/case-host.js'
import { errorOf, fixtureUrl, reasonOf, settledWithin, within } from '../../support/outcome.js'

const SECOND_MS = 1_000 * SLACK

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

class Secret {
  readonly #value = 1
  get value() {
    return this.#value
  }
}

function closedPort() {
  const { port1 } = new MessageChannel()
  port1.close()
  return port1
}

const UNSENDABLE: readonly { what: string; payload: () => unknown; path?: string }[] = [
  { what: 'a function', payload: () => () => 1, path: 'payload' },
  { what: 'a symbol', payload: () => Symbol('s'), path: 'payload' },
  { what: 'a function in a property', payload: () => ({ a: { callback: () => 1 } }), path: 'payload.a.callback' },
  { what: 'a WeakMap', payload: () => new WeakMap(), path: 'payload' },
  { what: 'a promise', payload: () => ({ value: Promise.resolve(1) }), path: 'payload.value' },
  { what: 'a proxy', payload: () => new Proxy({}, {}), path: 'payload' },
  {
    what: 'a class with a private field and a method as own property',
    payload: () => ({ list: [1, () => 2] }),
    path: 'payload.list[1]',
  },
  { what: 'a URL', payload: () => ({ links: [new URL('http://a')] }), path: 'payload.links[0]' },
  { what: 'an instance with private fields alone', payload: () => new Secret(), path: 'payload' },
  { what: 'a port that is not moved', payload: () => ({ port: new MessageChannel().port1 }), path: 'payload.port' },
  { what: 'a stream that is not moved', payload: () => new ReadableStream(), path: 'payload' },
  { what: 'a closed port', payload: () => closedPort(), path: 'payload' },
]

describe('an argument that cannot be cloned', () => {
  for (const { what, payload, path } of UNSENDABLE) {
    caseTest(`rejects with a DataCloneError that says where: ${what}`, async ({ pool }) => {
      const one = pool()
      await one.run('echo', 0)
      const running = one.run('nap', 150)
      const error = errorOf(SECOND_MS, one.run('echo', payload()))
      const others = [0, 1, 2].map((n) => one.run('plus', n))
      expect(await error).toMatchObject({
        name: 'DataCloneError',
        code: 'EVENKEEL_CLONE',
        path,
        task: 'echo',
        retryable: false,
      })
      expect(await settledWithin(SECOND_MS, [running, ...others])).toEqual([150, 1, 2, 3])
    })

    caseTest(`rejects on a pool that is still starting, and on an idle one: ${what}`, async ({ pool }) => {
      const one = pool()
      for (let i = 0; i < 2; i++) {
        expect(await errorOf(SECOND_MS, one.run('echo', payload()))).toMatchObject({ code: 'EVENKEEL_CLONE' })
        expect(await within(SECOND_MS, one.run('plus', i))).toBe(i + 1)
      }
    })
  }

  caseTest('in the middle of a batch fails alone', async ({ pool }) => {
    const two = pool({ workers: 2 })
    await two.run('echo', 0)
    for (let i = 0; i < 50; i++) await two.run('echo', i)
    const calls = Array.from({ length: 300 }, (_, i) => two.run('echo', i % 10 === 3 ? () => i : i))
    for (const [i, outcome] of (await settledWithin(SECOND_MS, calls)).entries()) {
      if (i % 10 === 3) expect(outcome).toMatchObject({ code: 'EVENKEEL_CLONE' })
      else expect(outcome).toBe(i)
    }
  })

  caseTest('fails alone among I/O tasks too', async ({ pool }) => {
    const one = pool()
    await one.run('napIo', 1)
    const calls = [one.run('napIo', 20), one.run('napIo', () => 1), one.run('napIo', 21), one.run('napIo', Symbol('s'))]
    const [a, b, c, d] = await settledWithin(SECOND_MS, calls)
    expect([a, c]).toEqual([20, 21])
    for (const error of [b, d]) expect(error).toMatchObject({ code: 'EVENKEEL_CLONE' })
  })

  caseTest('ends a map over it, and not the pool', async ({ pool }) => {
    const one = pool()
    const drain = async () => {
      for await (const { value } of one.map('echo', [1, 2, () => 3])) expect(value).toBeTypeOf('number')
    }
    expect(await errorOf(SECOND_MS, drain())).toMatchObject({ code: 'EVENKEEL_CLONE' })
  })

  caseTest('is not tried again, whatever retries were asked for', async ({ pool }) => {
    const one = pool()
    const error = await errorOf(
      SECOND_MS,
      one.run('echo', () => 1, { retries: { times: 5, on: 'any', backoffMs: 1 } }),
    )
    expect(error).toMatchObject({ code: 'EVENKEEL_CLONE' })
  })

  caseTest('rejects when its getter throws, with what that threw as cause', async ({ pool }) => {
    const one = pool()
    for (const busy of [false, true]) {
      const running = busy ? one.run('nap', 100) : one.run('echo', 0)
      const hostile = {
        get x(): number {
          throw new Error('from the getter')
        },
      }
      const error = await errorOf(SECOND_MS, one.run('echo', hostile))
      expect(error).toMatchObject({ code: 'EVENKEEL_CLONE', path: 'payload.x', cause: { message: 'from the getter' } })
      await within(SECOND_MS, running)
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    }
  })

  caseTest('rejects when it is nested too deep: 20,000 levels', async ({ pool }) => {
    const one = pool()
    for (const depth of [20_000, 100_000]) {
      const error = await errorOf(SECOND_MS, one.run('echo', nested(depth)))
      expect(error).toMatchObject({ code: 'EVENKEEL_CLONE', path: 'payload', cause: { name: 'RangeError' } })
      expect(await within(SECOND_MS, one.run('plus', 1))).toBe(2)
    }
  })
})

describe('a transfer list', () => {
  caseTest('with something that cannot be moved rejects that call alone', async ({ pool }) => {
    const one = pool()
    await one.run('echo', 0)
    const buffer = new ArrayBuffer(8)
    const detached = new ArrayBuffer(8)
    structuredClone(detached, { transfer: [detached] })
    for (const transfer of [[buffer, buffer], [detached], [{} as ArrayBuffer]]) {
      const neighbours = [one.run('plus', 1), one.run('plus', 2)]
      await errorOf(SECOND_MS, one.run('echo', 1, { transfer }))
      expect(await settledWithin(SECOND_MS, neighbours)).toEqual([2, 3])
    }
  })

  caseTest('moves its buffers, also while every worker is busy', async ({ pool }) => {
    const two = pool({ workers: 2 })
    const busy = [two.run('nap', 80), two.run('nap', 80)]
    const buffers = Array.from({ length: 6 }, () => new ArrayBuffer(1_000))
    const moved = buffers.map((buffer) => two.run('len', buffer, { transfer: [buffer] }))
    expect(await settledWithin(SECOND_MS, [...busy, ...moved])).toEqual([80, 80, ...buffers.map(() => 1_000)])
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual(buffers.map(() => 0))
  })

  caseTest('is given back unmoved when the task is aborted before it starts', async ({ pool }) => {
    const one = pool()
    const busy = one.run('nap', 150)
    const stop = new AbortController()
    const buffer = new ArrayBuffer(64)
    const aborted = errorOf(SECOND_MS, one.run('len', buffer, { transfer: [buffer], signal: stop.signal }))
    stop.abort()
    expect(await aborted).toMatchObject({ code: 'EVENKEEL_ABORTED' })
    expect(buffer.byteLength).toBe(64)
    expect(await within(SECOND_MS, busy)).toBe(150)
  })
})

const PAYLOADS: readonly unknown[] = [
  undefined,
  null,
  0,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'text',
  false,
  10n ** 30n,
  [],
  {},
  [undefined],
  new Date(0),
  /a+/giu,
  new Map([[1, new Set(['a'])]]),
  new Uint8Array([1, 2, 3]),
  new Error('kept'),
]

describe('an argument that can be cloned', () => {
  caseTest('arrives and returns as structured cloning gives it', async ({ pool }) => {
    const one = pool()
    const answers = await settledWithin(
      SECOND_MS,
      PAYLOADS.map((payload) => one.run('echo', payload)),
    )
    expect(answers).toEqual(structuredClone(PAYLOADS))
    expect(Object.is(answers[3], -0)).toBe(true)
  })

  caseTest('may be left out', async ({ pool }) => {
    const one = pool()
    expect(await one.run('typeOf')).toBe('undefined')
    expect(await one.run('nothing')).toBe(undefined)
  })

  caseTest('may be shared memory, and stays shared', async ({ pool }) => {
    const shared = new SharedArrayBuffer(16)
    expect(await pool().run('len', shared)).toBe(16)
  })

  // Cloned when it is posted: a waiting task sees later changes, as the doc comment of `run` says.
  caseTest('is the caller’s until the task settles: changed while it waits, it arrives changed', async ({ pool }) => {
    const one = pool()
    const busy = one.run('nap', 100)
    const far = one.run('nap', 1)
    const payload = { v: 'before' }
    const answer = one.run('echo', payload)
    payload.v = 'after'
    await within(SECOND_MS, Promise.all([busy, far]))
    expect(['before', 'after']).toContain(((await answer) as { v: string }).v)
  })
})

caseTest('worker data that cannot be cloned is refused by the constructor, by name', async () => {
  for (const workerData of [{ f() {} }, Symbol('s'), { deep: [new WeakMap()] }, () => 1]) {
    const make = () => new Dispatcher({ module: fixtureUrl('small-tasks.mjs'), workers: 1, workerData })
    expect(make).toThrow(
      expect.objectContaining({ code: 'EVENKEEL_CLONE', path: expect.stringMatching(/^workerData/) }),
    )
  }
})

caseTest('a name that is no text, or options that are none, reject and never throw', async ({ pool }) => {
  const one = pool()
  for (const name of [undefined, null, 1, Symbol('s'), {}] as unknown as string[]) {
    expect(await reasonOf(SECOND_MS, one.run(name))).toBeInstanceOf(TypeError)
  }
  for (const options of [1, 'a', { unknown: 1 }, { priority: 1.5 }, { signal: {} }, { runTimeoutMs: -1 }] as object[]) {
    expect(await errorOf(SECOND_MS, one.run('plus', 1, options))).toMatchObject({ code: 'EVENKEEL_INVALID_OPTION' })
  }
})
