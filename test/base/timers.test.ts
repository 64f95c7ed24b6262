import { afterEach, expect, test, vi } from 'vitest'
import * as timers from '../../src/base/timers.js'
import { readSources } from '../support/source/tree.js'

afterEach(() => {
  vi.useRealTimers()
})

test('mocked timers of a test runner leave ours alone', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance'] })
  const beganMs = timers.performanceNow()
  const heard: string[] = []
  timers.queueMicrotask(() => heard.push('microtask'))
  await new Promise<void>((resolve) => {
    timers.setImmediate(() => heard.push('immediate'))
    const stopped = timers.setTimeout(() => heard.push('stopped'), 1)
    timers.clearTimeout(stopped)
    const every = timers.setInterval(() => {
      timers.clearInterval(every)
      heard.push('interval')
      timers.setTimeout(resolve, 2)
    }, 5)
  })
  expect(heard).toEqual(['microtask', 'immediate', 'interval'])
  expect(timers.performanceNow() - beganMs).toBeGreaterThan(5)
})

test('no source takes a timer from anywhere else', () => {
  const call = /(?<![.\w])(setTimeout|setInterval|setImmediate|queueMicrotask|clearTimeout|clearInterval)\(/g
  const faults = [...readSources('src', 'workers')].flatMap(([path, text]) => {
    const taken = /import \{([^}]*)\} from '[./]*(?:src\/)?(?:base\/)?timers\.js'/.exec(text)?.[1] ?? ''
    return [...text.matchAll(call)].filter(([, name]) => !taken.includes(name!)).map(([, name]) => `${path}: ${name}`)
  })
  expect(faults.filter((fault) => !fault.startsWith('workers/tasks/'))).toEqual([])
})
