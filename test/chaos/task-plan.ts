/** What a chaos run submits: tasks drawn from a seeded source, each with what may come of it. */

import type { RandomSource } from '../../src/base/random.js'
import type { RunOptions } from '../../src/index.js'

export interface Payload {
  readonly id: number
  readonly ms?: number
  readonly parked?: boolean
  readonly text?: string
  readonly failures?: number
  readonly buffer?: ArrayBuffer
  readonly call?: () => void
  readonly rows?: readonly Row[]
  readonly bytes?: Uint8Array
  readonly count?: number
  readonly form?: 'rows' | 'text' | 'bytes'
  readonly levels?: number
  readonly nested?: object
  readonly shared?: Shared
  readonly mapped?: boolean
  readonly wide?: boolean
  readonly deepAt?: number
}

interface Row {
  readonly n: number
  readonly name: string
  readonly tags: readonly string[]
}

/** Part of many payloads. Each task must find it as it is here, whatever others do to it. */
interface Shared {
  readonly n: number
  readonly list: readonly unknown[]
  readonly map?: ReadonlyMap<string, number>
  self?: Shared
}

/** How a task may end by its own doing. */
type OwnEnd = 'answer' | 'throw' | 'exit' | 'clone' | 'unread' | 'unknown'

export interface TaskPlan {
  readonly id: number
  readonly name: string
  readonly payload: Payload
  readonly options: Omit<RunOptions, 'signal' | 'transfer' | 'onProgress'>
  /** Whether one of the run's shared abort signals is given. */
  readonly signalled: boolean
  readonly ends: readonly OwnEnd[]
  /** Whether the payload gets a getter that does anything. */
  readonly isTrap: boolean
}

interface Deed {
  readonly name: string
  readonly weight: number
  readonly ends: readonly OwnEnd[]
  readonly isTrap?: boolean
  payload?(random: RandomSource, id: number): Partial<Payload>
  /** Options it cannot do without. */
  options?(random: RandomSource): TaskPlan['options']
}

const between = (random: RandomSource, low: number, high: number) => low + Math.floor(random() * (high - low + 1))
/** Most stalls are short, a few reach 400 ms. */
const stallMs = (random: RandomSource) => Math.round(5 * 80 ** (random() * random()))

const ms = (low: number, high: number) => (random: RandomSource) => ({ ms: between(random, low, high) })
const failing = (random: RandomSource) => ({ failures: between(random, 1, 2) })

const pick = <T>(random: RandomSource, values: readonly T[]): T => values[Math.floor(random() * values.length)]!

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ n, name: `row ${n}`, tags: ['a', 'b'] }))

/** What takes a worker long to read. */
const LARGE: readonly Partial<Payload>[] = [
  { rows: rowsOf(300) },
  { rows: rowsOf(3_000) },
  { rows: rowsOf(30_000) },
  { text: 'text '.repeat(200_000) },
  { bytes: new Uint8Array(8_000_000) },
]

const cycle: Shared = { n: 0, list: [] }
cycle.self = cycle
const SHARED: readonly Shared[] = [
  { n: 0, list: [] },
  { n: 0, list: [1, { two: 2 }] },
  { n: 0, list: rowsOf(100) },
  { n: 0, list: [], map: new Map([['n', 0]]) },
  cycle,
]

function nestedObject(levels: number): object {
  let value: object = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}
const UNWRITABLE = nestedObject(30_000)
const DEEP = nestedObject(1_500)

/** Weights are tasks in a thousand, about. */
const DEEDS: readonly Deed[] = [
  { name: 'quick', weight: 450, ends: ['answer'] },
  { name: 'echo', weight: 120, ends: ['answer'], payload: (random) => ({ text: String(random()) }) },
  {
    name: 'moody',
    weight: 150,
    ends: ['answer'],
    payload: (random) => (random() < 0.03 ? { ms: stallMs(random), parked: random() < 0.5 } : { ms: 0 }),
  },
  {
    name: 'moody',
    weight: 2,
    ends: ['answer'],
    payload: (random) => ({ ms: 100 + (3 * stallMs(random)) / 4, parked: true }),
  },
  { name: 'soon', weight: 20, ends: ['answer'] },
  { name: 'later', weight: 10, ends: ['answer'], payload: ms(0, 3) },
  { name: 'throws', weight: 50, ends: ['throw'] },
  { name: 'rejects', weight: 15, ends: ['throw'], payload: ms(0, 3) },
  {
    name: 'throwsFirst',
    weight: 12,
    ends: ['answer', 'throw'],
    payload: failing,
    options: (random) => ({ retries: { times: between(random, 0, 3), on: 'any', backoffMs: random() * 5 } }),
  },
  { name: 'exits', weight: 0.5, ends: ['exit'] },
  {
    name: 'exitsFirst',
    weight: 0.3,
    ends: ['answer', 'exit'],
    payload: failing,
    options: (random) => ({ retries: { times: between(random, 0, 3), backoffMs: random() * 5 } }),
  },
  { name: 'throwsOutside', weight: 0.3, ends: ['exit'] },
  { name: 'throwsAfterwards', weight: 0.3, ends: ['answer'], payload: ms(0, 10) },
  { name: 'unhandled', weight: 0.3, ends: ['answer', 'exit'] },
  { name: 'answersAndExits', weight: 0.3, ends: ['answer'] },
  { name: 'returnsFunction', weight: 8, ends: ['clone'] },
  { name: 'moved', weight: 25, ends: ['answer'], payload: () => ({ buffer: new ArrayBuffer(4096) }) },
  { name: 'heeds', weight: 4, ends: ['answer'], payload: ms(1, 60) },
  { name: 'tells', weight: 10, ends: ['answer'] },
  { name: 'wait', weight: 80, ends: ['answer'], payload: ms(0, 20) },
  { name: 'waitAndThrow', weight: 15, ends: ['throw'], payload: ms(0, 10) },
  { name: 'waitAndExit', weight: 0.3, ends: ['exit'], payload: ms(0, 10) },
  { name: 'waitForAbort', weight: 8, ends: ['answer', 'throw'], payload: ms(1, 60) },
  { name: 'neverEnd', weight: 2, ends: [], options: (random) => ({ runTimeoutMs: between(random, 1, 40) }) },
  { name: 'quick', weight: 5, ends: ['clone'], payload: () => ({ call: () => {} }) },
  { name: 'noSuchTask', weight: 3, ends: ['unknown'] },
  { name: 'reads', weight: 1.5, ends: ['answer'], payload: (random) => pick(random, LARGE) },
  {
    name: 'returnsMuch',
    weight: 1.5,
    ends: ['answer'],
    payload: (random) => ({ form: pick(random, ['rows', 'text', 'bytes']), count: Math.floor(30 * 1000 ** random()) }),
  },
  { name: 'returnsDeep', weight: 2, ends: ['clone'], payload: (random) => ({ levels: between(random, 4_000, 6_000) }) },
  { name: 'quick', weight: 0.5, ends: ['clone'], payload: () => ({ nested: UNWRITABLE }) },
  // Written here; a worker with a small stack cannot read it.
  { name: 'quick', weight: 1, ends: ['answer', 'unread'], payload: () => ({ nested: DEEP }) },
  { name: 'edits', weight: 60, ends: ['answer'], payload: (random) => ({ shared: pick(random, SHARED) }) },
  {
    name: 'editsLater',
    weight: 15,
    ends: ['answer'],
    payload: (random) => ({ shared: pick(random, SHARED), ms: between(random, 0, 5) }),
  },
  { name: 'keeps', weight: 40, ends: ['answer'], payload: (random) => ({ mapped: random() < 0.3 }) },
  { name: 'overwrites', weight: 30, ends: ['answer'], payload: (random) => ({ wide: random() < 0.3 }) },
  { name: 'movesOn', weight: 30, ends: ['answer'], payload: (_, id) => ({ bytes: Buffer.from(wordOf(id)) }) },
  { name: 'givesBytes', weight: 20, ends: ['answer'] },
  { name: 'thenable', weight: 5, ends: ['answer'] },
  { name: 'quick', weight: 5, ends: ['answer', 'clone'], isTrap: true },
  { name: 'wait', weight: 0.7, ends: ['answer'], payload: ms(100, 600) },
]
export const wordOf = (id: number) => `word ${id}`
const TOTAL = DEEDS.reduce((sum, { weight }) => sum + weight, 0)

function drawDeed(random: RandomSource): Deed {
  let left = random() * TOTAL
  for (const deed of DEEDS) {
    left -= deed.weight
    if (left < 0) return deed
  }
  return DEEDS[0]
}

function drawOptions(random: RandomSource): TaskPlan['options'] {
  return {
    ...(random() < 0.2 && { priority: between(random, -3, 3) }),
    ...(random() < 0.1 && { tag: `tag ${between(random, 0, 3)}` }),
    ...(random() < 0.06 && { gate: random() < 0.8 ? 'few' : 'capped' }),
    ...(random() < 0.03 && { delayMs: between(random, 0, 20) }),
    ...(random() < 0.05 && { key: `key ${between(random, 0, 20)}` }),
    ...(random() < 0.03 && { runTimeoutMs: random() < 0.1 ? 0 : between(random, 1, 200) }),
    ...(random() < 0.03 && { queueTimeoutMs: between(random, 0, 100) }),
    ...(random() < 0.03 && { deadlineMs: between(random, 0, 300) }),
    ...(random() < 0.05 && { retries: { times: between(random, 1, 3), backoffMs: random() * 10 } }),
  }
}

/** @param isGated whether it is one of many at a time behind the gate that counts starts */
export function drawTask(id: number, random: RandomSource, isGated = false): TaskPlan {
  const { name, ends, payload, options, isTrap = false } = drawDeed(random)
  const { retries, ...others } = drawOptions(random)
  return {
    id,
    name,
    payload: { id, ...payload?.(random, id) },
    // A moved payload is gone after the first attempt.
    options: {
      ...others,
      ...(isGated && { gate: 'capped' }),
      ...(name !== 'moved' && retries !== undefined && { retries }),
      ...options?.(random),
    },
    signalled: random() < 0.06,
    ends,
    isTrap,
  }
}

/** The task of one item of a `map`, or of a stream. */
export function planOf(name: string, payload: Payload): TaskPlan {
  return { id: payload.id, name, payload, options: {}, signalled: false, ends: ['answer'], isTrap: false }
}

/** What an item of a `map` is given to do. */
export function drawItem(random: RandomSource, id: number, name: string): TaskPlan {
  return planOf(name, { id, ms: name === 'wait' ? between(random, 0, 5) : 0, shared: pick(random, SHARED) })
}
