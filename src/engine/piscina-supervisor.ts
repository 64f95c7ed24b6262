/**
 * Starts and ends threads by piscina: it spawns them, passes Node's options on, sets niceness and resource limits,
 * routes errors and terminates. No piscina task is ever submitted; tasks travel over the port that our entry opens.
 *
 * One Piscina is one life of one thread. When a thread dies, Piscina would start a replacement at once, with the same
 * `workerData`. Closing the pool while it reports the death prevents that, so replacement, back-off and fresh shared
 * memory are ours. Piscina's lasting states, such as a failed bootstrap, end with the life.
 */

import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import { systemClock } from '../base/clock.js'
import { queueMicrotask } from '../base/timers.js'
import type { Hello, ThreadWorkerData } from '../protocol/control.js'
import { BootQueue } from './boot-queue.js'
import type { Supervisor, Thread, ThreadEvents, ThreadOptions } from './supervisor.js'
import { filesAt, filesBesideUs } from './thread-files.js'

function isHello(message: unknown): message is Hello {
  return typeof message === 'object' && message !== null && (message as Hello).type === 'evenkeel:hello'
}

/**
 * Node's options for piscina, without those that are undefined: for an undefined `niceIncrement` piscina would load its
 * native module in every thread.
 */
function passedOn(options: ThreadOptions): Partial<ThreadOptions> & { argv?: string[]; execArgv?: string[] } {
  const { resourceLimits, env, argv, execArgv, niceIncrement, trackUnmanagedFds } = options
  const passed = { resourceLimits, env, argv: argv && [...argv], execArgv: execArgv && [...execArgv] }
  const all = { ...passed, niceIncrement, trackUnmanagedFds }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function newPool(workerData: ThreadWorkerData, options: ThreadOptions): Piscina {
  const { threadFile } = options
  const { Piscina, entry } = threadFile === undefined ? filesBesideUs() : filesAt(threadFile)
  return new Piscina({
    filename: entry,
    minThreads: 1,
    maxThreads: 1,
    // 'sync', the default, freezes the event loop of an idle worker: no timers, no beats.
    atomics: 'disabled',
    idleTimeout: Number.POSITIVE_INFINITY,
    recordTiming: false,
    workerData,
    ...passedOn(options),
  })
}

/** The thread when Node refuses to make one, or its file is missing: it exits at once. */
function stillborn(error: unknown, events: ThreadEvents): Thread {
  queueMicrotask(() => events.exit({ exitCode: 1, error }))
  return {
    threadId: -1,
    worker: undefined,
    isHeard: false,
    terminate: () => {},
    loopTime: () => ({ idle: 0, active: 0 }),
  }
}

function spawnNow(workerData: ThreadWorkerData, options: ThreadOptions, events: ThreadEvents): Thread {
  let pool: Piscina
  try {
    pool = newPool(workerData, options)
  } catch (refusal) {
    const accepted = withoutProcessFlags(options, refusal)
    return accepted === undefined ? stillborn(refusal, events) : spawnNow(workerData, accepted, events)
  }
  const thread = pool.threads[0] as Worker
  let threadId = thread.threadId
  let error: unknown

  pool.on('message', (message: unknown) => {
    if (isHello(message)) events.hello(message.port, message.board)
    else events.message(message)
  })
  pool.on('workerDestroy', () => void pool.destroy())
  pool.on('error', (fault: unknown) => {
    error = fault
  })
  thread.once('exit', (exitCode) => {
    threadId = -1
    // Piscina reports the error in the same tick as the death, but after it.
    queueMicrotask(() => events.exit(error === undefined ? { exitCode } : { exitCode, error }))
  })

  return {
    worker: thread,
    get threadId() {
      return threadId
    },
    // Node pipes both to the process's own streams, and stops for good after an error.
    get isHeard() {
      return thread.stdout.listenerCount('data') > 0 && thread.stderr.listenerCount('data') > 0
    },
    terminate: () => void thread.terminate(),
    loopTime: () => thread.performance.eventLoopUtilization(),
  }
}

const boots = new BootQueue(availableParallelism(), systemClock)

/** Starts the thread at once, or when fewer threads of the process are booting. */
function spawn(workerData: ThreadWorkerData, options: ThreadOptions, events: ThreadEvents): Thread {
  let thread: Thread | undefined
  const start = (booted: () => void) => {
    thread = spawnNow(workerData, options, {
      hello(port, board) {
        booted()
        events.hello(port, board)
      },
      message: (message) => events.message(message),
      exit(cause) {
        booted()
        events.exit(cause)
      },
    })
  }
  boots.enter(start)
  return {
    get threadId() {
      return thread?.threadId ?? -1
    },
    get worker() {
      return thread?.worker
    },
    get isHeard() {
      return thread?.isHeard === true
    },
    terminate() {
      if (thread !== undefined) thread.terminate()
      else if (boots.leave(start)) queueMicrotask(() => events.exit({ exitCode: 1 }))
    },
    loopTime: () => thread?.loopTime() ?? { idle: 0, active: 0 },
  }
}

export const piscinaSupervisor: Supervisor = { spawn }

/**
 * The options without the flags that Node's error `refusal` names and the process itself was started with. Undefined
 * when that changes nothing: then the fault is the caller's. Node starts no thread with flags of the whole process
 * (`--title`, heap sizes …), but `execArgv: process.execArgv` or a copy of the environment passes them on unnoticed.
 */
export function withoutProcessFlags(options: ThreadOptions, refusal: unknown): ThreadOptions | undefined {
  const { code, message } = refusal as NodeJS.ErrnoException
  if (code !== 'ERR_WORKER_INVALID_EXEC_ARGV') return undefined
  if (message.includes('NODE_OPTIONS')) {
    const { env } = options
    if (typeof env !== 'object' || env.NODE_OPTIONS !== process.env.NODE_OPTIONS) return undefined
    const { NODE_OPTIONS: _, ...rest } = env
    return { ...options, env: rest }
  }
  const refused = new Set(
    message
      .slice(message.indexOf(':') + 1)
      .split(',')
      .map((flag) => flag.trim()),
  )
  const execArgv = options.execArgv?.filter((flag) => !(refused.has(flag) && process.execArgv.includes(flag)))
  return execArgv === undefined || execArgv.length === options.execArgv?.length ? undefined : { ...options, execArgv }
}
