/**
 * The two batches between the threads, as flat arrays: the structured clone writes an array of small integers and
 * payloads several times faster than an array of objects.
 *
 * Tasks, dispatcher to worker: `[trees, kind, key, head, payload, key, head, payload, …]`. A batch is of one kind, so
 * that I/O tasks never wait in line behind CPU tasks.
 * A payload that is a small tree is in `trees`, and the batch has its place there (see `small-tree.ts`).
 *
 * Answers, worker to dispatcher: `[head, head, …]`, where a head is `key << 3 | status`. Their results are on the board
 * (see `results.ts`). A result that is not gets a message of its own: `[ALONE, head, result]`.
 */

/** How a task uses its worker: CPU tasks run one at a time, I/O tasks side by side. */
export type TaskKind = 'cpu' | 'io'

export type TaskBatch = unknown[]
export type AnswerBatch = readonly number[] | readonly [typeof ALONE, number, unknown]

export const CPU_BATCH = 0
export const IO_BATCH = 1
/** Index of the trees in a batch of tasks. */
export const TREES_AT = 0
export const KIND_AT = 1
/** Index of the first task in a batch, and the distance to the next. */
export const BATCH_START = 2
export const BATCH_STRIDE = 3
/** The first entry of an answer that travels alone. It is no head. */
export const ALONE = -1

/** Statuses of an answer. */
export const FAILED = 0
export const OK = 1
/** The task was taken back before the worker reached it. The answer only frees its claim word. */
export const SKIPPED = 2
/** As `OK`, with the result on the board: this plus where it is, from 1 to 5. */
export const ON_BOARD = 2

const STATUS_BITS = 3
const STATUS_MASK = (1 << STATUS_BITS) - 1

export function answerHead(key: number, status: number): number {
  return (key << STATUS_BITS) | status
}

export function answerKey(head: number): number {
  return head >>> STATUS_BITS
}

export function answerStatus(head: number): number {
  return head & STATUS_MASK
}

/**
 * A task's head is a small integer: 14 bits of name index, 13 bits of attempt, and a bit each for: the result is pulled
 * item by item, there is a listener for progress, the payload is in the trees.
 */
export const MAX_TASK_NAMES = 1 << 14
const ATTEMPT_SHIFT = 14
const ATTEMPT_MASK = (1 << 13) - 1
const STREAM_BIT = 1 << 27
const PROGRESS_BIT = 1 << 28
const TREE_BIT = 1 << 29

export function taskHead(nameIndex: number, attempt: number, wantsProgress: boolean, wantsItems: boolean): number {
  const wishes = (wantsProgress ? PROGRESS_BIT : 0) | (wantsItems ? STREAM_BIT : 0)
  return nameIndex | (Math.min(attempt, ATTEMPT_MASK) << ATTEMPT_SHIFT) | wishes
}

export function headNameIndex(head: number): number {
  return head & (MAX_TASK_NAMES - 1)
}

export function headAttempt(head: number): number {
  return (head >>> ATTEMPT_SHIFT) & ATTEMPT_MASK
}

export function headWantsItems(head: number): boolean {
  return (head & STREAM_BIT) !== 0
}

export function headWantsProgress(head: number): boolean {
  return (head & PROGRESS_BIT) !== 0
}

export function withTree(head: number): number {
  return head | TREE_BIT
}

export function headHasTree(head: number): boolean {
  return (head & TREE_BIT) !== 0
}
