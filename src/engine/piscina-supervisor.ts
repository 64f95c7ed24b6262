/**
 * Threads kept by piscina: it spawns them, passes Node's options on, sets niceness and resource limits, routes
 * errors and terminates. No piscina task is ever submitted; tasks travel over the port that our entry opens.
 *
 * One Piscina is one life of one thread. It would start a replacement by itself, at once and with the same
 * `workerData`; closing the pool while it reports the death keeps replacement, back-off and fresh shared memory in
 * our hands, and its sticky states (a failed bootstrap is never forgotten) end with the life.
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
 * Node's options for piscina. One that is not set is left out: piscina takes an undefined `niceIncrement` for a
 * wish, and loads its native module for it in every thread.
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

/** A thread that Node refused to make, or whose file is missing: it ends before it began. */
function stillborn(error: unknown, events: ThreadEvents): Thread {
  queueMicrotask(() => events.exit({ exitCode: 1, error }))
  return { threadId: -1, isHeard: false, terminate: () => {}, loopTime: () => ({ idle: 0, active: 0 }) }
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
    // Whatever else user code posts through parentPort is not for us.
    if (isHello(message)) events.hello(message.port, message.board)
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
    get threadId() {
      return threadId
    },
    // Node pipes both to the process's own, and stops that for good when there is an error.
    get isHeard() {
      return thread.stdout.listenerCount('data') > 0 && thread.stderr.listenerCount('data') > 0
    },
    terminate: () => void thread.terminate(),
    loopTime: () => thread.performance.eventLoopUtilization(),
  }
}

const boots = new BootQueue(availableParallelism(), systemClock)

/** At once, or when fewer threads of the process are booting. */
function spawn(workerData: ThreadWorkerData, options: ThreadOptions, events: ThreadEvents): Thread {
  let thread: Thread | undefined
  const start = (booted: () => void) => {
    thread = spawnNow(workerData, options, {
      hello(port, board) {
        booted()
        events.hello(port, board)
      },
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
 * Flags that hold for the whole process (`--title`, heap sizes …) cannot be given to a thread: Node refuses to start
 * it. People pass them on unknowingly, by `execArgv: process.execArgv` or a copy of the environment.
 */

/**
 * The options without the flags that `refusal`, Node's error, names and that the process itself was started with;
 * undefined when that changes nothing, so that the fault is the caller's own.
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
