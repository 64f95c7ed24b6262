/**
 * The life of a thread: say hello, import the task module, report its tasks, run tasks, tear down.
 *
 * The order matters. The hello goes first, so the dispatcher has a port to read even if the module ends the thread
 * while it loads. The last words (`exit`, uncaught exceptions) are installed before the module is imported.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { MessageChannel, parentPort } from 'node:worker_threads'
import { systemClock } from '../src/base/clock.js'
import { boardOf } from '../src/board/layout.js'
import { RowWriter } from '../src/board/row-writer.js'
import type { DispatcherControl, Hello, ReplayedCall, ThreadSettings, WorkerControl } from '../src/protocol/control.js'
import { CountedPort } from '../src/protocol/counted-port.js'
import type { WireError } from '../src/protocol/error-transfer.js'
import { markThread } from '../src/protocol/thread-mark.js'
import { encodeThrown } from './encode-thrown.js'
import { Executor } from './executor.js'
import { installLastWords, MODULE_OWNER, type Owner } from './last-words.js'
import { captureOutput } from './output-capture.js'
import { PrintedOutput } from './printed-output.js'
import { replay } from './replay.js'
import { loadTasks, type TaskModule } from './task-registry.js'

/**
 * Longest wait of an ending thread for a host that is slow to print, ms. The host terminates it a second later anyway.
 */
const LAST_OUTPUT_WAIT_MS = 4_000

export async function start(settings: ThreadSettings): Promise<void> {
  const mark = markThread(settings.depth)
  const board = boardOf()
  const row = new RowWriter(board.row)
  const { port1, port2: remote } = new MessageChannel()
  const port = new CountedPort(port1)
  const say = (message: WorkerControl) => port.post(message)

  const hello: Hello = { type: 'evenkeel:hello', port: remote, board: board.buffer }
  parentPort!.postMessage(hello, [remote])

  const owner = new AsyncLocalStorage<Owner>()
  const executor = new Executor({ board, row, port, owner, clock: systemClock, settings })
  if (settings.capturesOutput) captureOutput(process, owner, say)
  installLastWords({ owner, row, executor, say })

  let module: TaskModule | undefined
  const catchUp = async (calls: readonly ReplayedCall[]) => {
    try {
      await owner.run(MODULE_OWNER, () => replay(module!, calls, settings.slot))
      say({ type: 'replayed' })
    } catch (error) {
      say({ type: 'replayed', error: encodeThrown(error) })
    }
  }
  const stop = async (isHeard: boolean) => {
    let error: WireError | undefined
    try {
      await module?.teardown?.()
    } catch (thrown) {
      error = encodeThrown(thrown)
    }
    // The thread is terminated next. Output that the host has not taken by then is lost.
    if (isHeard) await new Promise<void>((taken) => new PrintedOutput().whenTaken(LAST_OUTPUT_WAIT_MS, taken))
    say({ type: 'stopped', error })
  }
  const take = (message: unknown[] | DispatcherControl) => {
    if (Array.isArray(message)) executor.accept(message)
    else if (message.type === 'abort') executor.abort(message.key, message.reason)
    else if (message.type === 'credit') executor.credit(message.key, message.count)
    else if (message.type === 'replay') void catchUp(message.calls)
    else void stop(message.unheard !== true)
  }
  port.listen({
    message: (message) => take(message as unknown[] | DispatcherControl),
    unreadable: (message, error) => say({ type: 'unreadable', message, error: encodeThrown(error) }),
  })

  try {
    // `run`, because after `enterWith` the module would own all code that has lost its context.
    const tasks = await owner.run(MODULE_OWNER, () => loadTasks(settings.moduleUrl))
    mark.loading = false
    if (tasks.setup !== undefined) {
      say({ type: 'imported' })
      await owner.run(MODULE_OWNER, () => tasks.setup!())
    }
    module = tasks
    executor.use(tasks)
    say({ type: 'loaded', names: tasks.names, kinds: tasks.kinds })
  } catch (error) {
    say({ type: 'loadFailed', error: encodeThrown(error) })
  }
}
