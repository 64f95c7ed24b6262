/**
 * The events of a dispatcher. Listeners are called when its state is consistent. Payloads are plain objects.
 */

/** A worker has been silent for longer than its running task explains. */
export interface StallEvent {
  readonly slot: number
  readonly threadId: number
  /** Name of the CPU task that the worker runs, if any. */
  readonly task: string | undefined
  /** How long it has been running, ms. */
  readonly runningMs: number
  /** How long the worker has given no sign of life, ms. */
  readonly silentMs: number
}

/** A stalled worker answers again. */
export interface RecoverEvent {
  readonly slot: number
  readonly threadId: number
  /** How long the stall lasted, ms, from when it was seen. */
  readonly stalledMs: number
}

/**
 * Why a thread ended: surplus (idle, or above a lowered maximum); replaced on purpose; by itself; out of memory;
 * terminated, because a task or the worker did not end when asked to, or was stalled for `stallKillMs`; the module
 * could not be loaded; or the close.
 */
export type ExitReason = 'idle' | 'recycle' | 'crash' | 'oom' | 'timeout' | 'load' | 'shutdown'

/** A worker's thread ended. */
export interface ExitEvent {
  readonly slot: number
  readonly exitCode: number
  /** True when evenkeel ended the thread: shrink, recycle, time limit or close. */
  readonly expected: boolean
  readonly reason: ExitReason
  readonly error: unknown
}

/** A worker's thread is replaced. After a planned replacement the old thread may still run, and its `exit` follows. */
export interface RestartEvent {
  readonly slot: number
  readonly restarts: number
  /** Delay before the start, ms. */
  readonly delayMs: number
}

/** Phase of a starting thread: booting, importing the task module, its `setup`, or replaying broadcasts. */
export type StartPhase = 'thread' | 'module' | 'setup' | 'broadcast'

/** A worker has loaded the module and takes tasks. */
export interface OnlineEvent {
  readonly slot: number
  readonly threadId: number
  /** How long the start took, ms. */
  readonly startMs: number
}

/** Code in a worker posted something to its `parentPort`. */
export interface WorkerMessage {
  readonly slot: number
  readonly threadId: number
  readonly message: unknown
}

/** A thread has been starting for 10 s while somebody waits. */
export interface SlowStartEvent {
  readonly slot: number
  readonly threadId: number
  readonly waitsFor: StartPhase
  /** How long it has been starting, ms. */
  readonly startingMs: number
}

/** All workers were overloaded, or underloaded, for `load.holdMs`. Told once per crossing. */
export interface PressureNotice {
  readonly workers: number
  readonly queued: number
}

/** A worker printed something; only with `stdio: 'capture'`. */
export interface OutputEvent {
  readonly slot: number
  readonly threadId: number
  readonly stream: 'stdout' | 'stderr'
  /** Name of the task that printed it, if a running task did. */
  readonly task: string | undefined
  /** As it was written: a line, part of one, or several. */
  readonly text: string
}

/** The events of a dispatcher with their arguments. */
export interface DispatcherEvents {
  /** A worker has been silent for `stallMs`, and for longer than is usual for the task that it runs. */
  stall: [StallEvent]
  /** A stalled worker answers again. */
  recover: [RecoverEvent]
  /** A worker has loaded the module and takes tasks. */
  online: [OnlineEvent]
  /** Code in a worker posted something to its `parentPort`. */
  message: [WorkerMessage]
  /** A worker's thread ended. */
  exit: [ExitEvent]
  /** A worker's thread is started again. */
  restart: [RestartEvent]
  /** A thread takes long to start, once per start. After `startTimeoutMs` it is ended. */
  slowStart: [SlowStartEvent]
  /** All workers have been overloaded for a while. */
  overload: [PressureNotice]
  /** All workers have been well below their capacity for a while. */
  underload: [PressureNotice]
  /** A worker printed something, ahead of the answer of the task that did. Only with `stdio: 'capture'`. */
  output: [OutputEvent]
  /** Fewer tasks wait than `maxQueue` again, after one was refused. Once per crossing. */
  drain: []
  /**
   * An error that belongs to no task: an exception in a worker outside tasks, a failed load while other workers run,
   * a failing strategy, an exception of a listener. Emitted only while someone listens.
   */
  error: [unknown]
}

export type Emit = <Name extends keyof DispatcherEvents>(name: Name, ...args: DispatcherEvents[Name]) => void
