/** The public surface. */

export { type ErrorCode, type ErrorDetails, EvenkeelError, OptionRangeError, OptionTypeError } from './base/errors.js'
export type { RandomSource } from './base/random.js'
export { type CloseOptions, Dispatcher } from './dispatcher/dispatcher.js'
export type { MapItem, MapOptions } from './dispatcher/map.js'
export type {
  DispatcherEvents,
  ExitEvent,
  ExitReason,
  OnlineEvent,
  OutputEvent,
  PressureNotice,
  RecoverEvent,
  RestartEvent,
  SlowStartEvent,
  StallEvent,
  StartPhase,
  WorkerMessage,
} from './dispatcher/options/events.js'
export type { DispatcherOptions, WorkerRange } from './dispatcher/options/options.js'
export type { CallDefaults, GateOptions, Gates, RetryOptions, RunOptions } from './dispatcher/options/run-options.js'
export type {
  DispatcherSnapshot,
  DrainingSnapshot,
  PriorityCount,
  TaskCounts,
  TaskOutcome,
  WorkerSnapshot,
} from './dispatcher/snapshot.js'
export type {
  CallArguments,
  RunName,
  StreamName,
  TaskItem,
  TaskModuleType,
  TaskName,
  TaskPayload,
  TaskResult,
  UntypedModule,
} from './dispatcher/task-inference.js'
export type { StreamOptions } from './dispatcher/task-stream.js'
export type { DurationCounts, Percentiles } from './dispatcher/tasks/duration-histogram.js'
export type { FailureKind } from './dispatcher/tasks/task-stats.js'
export type { BroadcastOptions, RunOnAllOptions } from './dispatcher/whole-pool.js'
export type { ThreadState } from './engine/thread-state.js'
export type { FactorName } from './load/factors.js'
export type { LoadCeilings, LoadCoefficients, LoadOptions, LoadSmoothing } from './load/load-options.js'
export type { StrategyName, StrategySpec } from './selection/index.js'
export type { LoadView, SelectionStrategy, SelectionTask } from './selection/load-view.js'
