import type { TaskRunner } from '../../src/batch/flow/record-runner.js'

/** Runs tasks on this thread; counts them. */
export function localTasks(calls: unknown[] = []): TaskRunner {
  return {
    async run(name, payload) {
      calls.push(payload)
      const { i, fail } = payload as { i: number; fail?: boolean }
      if (name === 'strict' && fail) throw new RangeError(`no ${i}`)
      await new Promise((done) => setImmediate(done))
      return { i }
    },
  }
}
