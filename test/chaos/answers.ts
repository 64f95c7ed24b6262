/** Whether an answer is the task's own; looked at when it comes, because it is scribbled on at once. */

import { type TaskPlan, wordOf } from './task-plan.js'

/** One sentence about what is wrong with an answer, or undefined. */
export function answerFault(plan: TaskPlan, value: unknown): string | undefined {
  return isOwnAnswer(plan, value) ? undefined : `got the answer ${excerptOf(value)}`
}

export function excerptOf(value: unknown): string {
  return String(JSON.stringify(value, (_, item) => (item instanceof Map ? [...item] : item))).slice(0, 200)
}

/** What the results of `keeps` and `overwrites` hold. */
interface StateResult {
  readonly id: number
  readonly kept?: { readonly n: number; readonly list: readonly number[] }
  readonly map?: ReadonlyMap<string, number>
  readonly list: readonly { readonly id: number }[]
}

function isOwnAnswer({ id, name, payload }: TaskPlan, value: unknown): boolean {
  switch (name) {
    case 'echo': {
      const echo = value as { id: number; text: string }
      return echo.id === id && echo.text === payload.text
    }
    case 'moved':
      return value instanceof Uint32Array && value.length === 1024 && value[0] === id * 2 + 1
    case 'movesOn':
    case 'givesBytes':
      return value instanceof Uint8Array && Buffer.from(value).toString() === wordOf(id)
    case 'edits':
    case 'editsLater':
      return isEdited(id, payload, value as EditResult)
    case 'keeps': {
      const { id: owner, kept, map } = value as StateResult
      if (payload.mapped) return owner === id && map?.get('n') === 7 && map.size === 1
      return owner === id && kept?.n === 7 && String(kept.list) === '1,2,3'
    }
    case 'overwrites': {
      const { id: owner, list } = value as StateResult
      return owner === id && list.length === (payload.wide ? 100 : 1) && list.every((row) => row.id === id)
    }
    case 'reads':
      return hasReadAll(id, payload, value as ReadResult)
    case 'returnsMuch':
      return isMuch(id, payload, value as MuchResult)
    default:
      return value === id * 2 + 1
  }
}

interface EditResult {
  readonly id: number
  readonly n: number
  readonly length: number
  readonly last: unknown
  readonly mapped: number | undefined
  readonly isCycle: boolean
}

/** Edited once: by its own task. */
function isEdited(id: number, { shared }: TaskPlan['payload'], value: EditResult): boolean {
  return (
    value.id === id &&
    value.n === 1 &&
    value.length === shared!.list.length + 1 &&
    value.last === id &&
    value.mapped === (shared!.map === undefined ? undefined : 1) &&
    value.isCycle === (shared!.self !== undefined)
  )
}

interface ReadResult {
  readonly id: number
  readonly rows?: number
  readonly first?: number
  readonly last?: number
  readonly text?: number
  readonly byte?: number
  readonly bytes?: number
}

function hasReadAll(id: number, { rows, text, bytes }: TaskPlan['payload'], value: ReadResult): boolean {
  const last = rows === undefined ? undefined : rows.length - 1
  return (
    value.id === id &&
    value.rows === rows?.length &&
    value.first === (rows === undefined ? undefined : 1) &&
    value.last === last &&
    value.text === text?.length &&
    value.bytes === bytes?.length &&
    value.byte === (bytes === undefined ? undefined : 1)
  )
}

interface MuchResult {
  readonly id: number
  readonly rows?: readonly { readonly n: number; readonly name: string }[]
  readonly text?: string
  readonly bytes?: Uint8Array
}

function isMuch(id: number, { form, count }: TaskPlan['payload'], value: MuchResult): boolean {
  if (value.id !== id) return false
  const { rows, text, bytes } = value
  if (form === 'rows')
    return rows?.length === count && rows!.every(({ n, name }, at) => n === at && name === `row ${id}`)
  if (form === 'text') return text === `${id} `.repeat(count!)
  return bytes?.length === count && bytes!.every((byte) => byte === (id & 255))
}

/** Changes whatever the answer may share with another. */
export function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (ArrayBuffer.isView(value)) {
    // Its memory may be that of other answers; moved on, it is gone for all of them.
    structuredClone(value.buffer, { transfer: [value.buffer as ArrayBuffer] })
  } else if (value instanceof Map) value.clear()
  else if (Array.isArray(value)) {
    value.slice(0, 100).forEach(scribble)
    value.length = 0
  } else {
    Object.values(value).forEach(scribble)
    for (const key of Object.keys(value)) Object.assign(value, { [key]: 'scribbled' })
  }
}
