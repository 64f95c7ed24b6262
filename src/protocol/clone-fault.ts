/**
 * Where a payload or a result holds what the structured clone refuses. The clone itself says only what it refused,
 * not where; this looks again, after the refusal, and names the place.
 */

import { types } from 'node:util'
import { EvenkeelError } from '../base/errors.js'
import { className, describe, errorBase, read } from './thrown-value.js'

/** Properties looked at before the search gives up and names the whole value: a few milliseconds of work. */
const MAX_LOOKED_AT = 50_000

/** Longest path in a message, in characters; a longer one keeps its two ends. */
const MAX_PATH = 200

export interface RefusedClone {
  /** What the value is called at the start of the path. */
  readonly root: 'payload' | 'result' | 'progress'
  readonly value: unknown
  /** What the clone threw. */
  readonly thrown: unknown
  /** Name of the task whose value it is. */
  readonly task?: string
  /** Objects that were handed over rather than cloned: never the fault. */
  readonly transferred?: readonly unknown[]
}

/**
 * An `EVENKEEL_CLONE` error, name `DataCloneError`, whose `path` names what cannot be cloned, such as
 * `payload.items[3].socket`, and whose `cause` is what the clone threw: a `DataCloneError`, the error of a getter,
 * or the `RangeError` of a value nested too deeply. Never throws.
 * @param isCloneable asked for single objects that show nothing wrong; may throw, which counts as no.
 */
export function cloneError(refused: RefusedClone, isCloneable: (value: unknown) => boolean): EvenkeelError {
  const { root, value, thrown, task } = refused
  const details = { cause: thrown, ...(task !== undefined && { task }) }
  if (isOverflow(thrown)) {
    return new EvenkeelError('EVENKEEL_CLONE', `${root} is nested too deeply to be cloned`, { ...details, path: root })
  }
  const fault = new Search(refused.transferred ?? [], isCloneable).run(value)
  const path = fault === undefined ? root : shorten(root + pathOf(fault))
  const reason = fault === undefined ? reasonOf(thrown) : fault.reason
  return new EvenkeelError('EVENKEEL_CLONE', `${path} cannot be cloned: ${reason}`, { ...details, path })
}

/** One step of the way from the value to the fault. */
interface Place {
  readonly value: unknown
  readonly parent: Place | undefined
  /** As it stands in the path: `.name`, `[3]`. */
  readonly step: string
}

interface Fault {
  readonly place: Place
  readonly reason: string
}

/** Breadth first, so that the shortest path is named; a list, not recursion, so that depth does not matter. */
class Search {
  readonly #isCloneable: (value: unknown) => boolean
  readonly #seen: Set<unknown>
  readonly #places: Place[] = []
  #left = MAX_LOOKED_AT

  constructor(transferred: readonly unknown[], isCloneable: (value: unknown) => boolean) {
    this.#isCloneable = isCloneable
    this.#seen = new Set(transferred)
  }

  run(value: unknown): Fault | undefined {
    let fault = this.#look({ value, parent: undefined, step: '' })
    for (let next = 0; fault === undefined && next < this.#places.length && this.#left > 0; next++) {
      fault = this.#open(this.#places[next]!)
    }
    return fault
  }

  #look(place: Place): Fault | undefined {
    this.#left--
    const { value } = place
    if (typeof value === 'function' || typeof value === 'symbol') return { place, reason: describe(value) }
    if (typeof value !== 'object' || value === null || this.#seen.has(value)) return undefined
    this.#seen.add(value)
    if (types.isProxy(value)) return { place, reason: 'a Proxy' }
    this.#places.push(place)
    return undefined
  }

  #open(place: Place): Fault | undefined {
    const object = place.value as object
    const before = this.#left
    let fault: Fault | undefined
    if (Array.isArray(object)) fault = this.#openArray(place, object)
    else if (types.isMap(object)) fault = this.#openMap(place, object)
    else if (types.isSet(object)) fault = this.#openSet(place, object)
    // The clone reads no properties of these: it knows them, or refuses them whole.
    else if (!isOpaque(object)) fault = this.#openObject(place, object)
    const isLeaf = this.#left === before
    if (fault === undefined && isLeaf && !isSurelyCloneable(object) && !this.#canClone(object)) {
      return { place, reason: `a ${className(object) ?? 'object'}` }
    }
    return fault
  }

  #openArray(parent: Place, array: readonly unknown[]): Fault | undefined {
    for (let index = 0; index < array.length && this.#left > 0; index++) {
      const fault = this.#property(parent, array, String(index), `[${index}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  #openMap(parent: Place, map: Map<unknown, unknown>): Fault | undefined {
    let position = 0
    for (const [key, value] of Map.prototype.entries.call(map)) {
      const fault =
        this.#look({ value: key, parent, step: `.keys()[${position++}]` }) ??
        this.#look({ value, parent, step: `.get(${describe(key)})` })
      if (fault !== undefined || this.#left <= 0) return fault
    }
    return undefined
  }

  #openSet(parent: Place, set: Set<unknown>): Fault | undefined {
    let position = 0
    for (const value of Set.prototype.values.call(set)) {
      const fault = this.#look({ value, parent, step: `.values()[${position++}]` })
      if (fault !== undefined || this.#left <= 0) return fault
    }
    return undefined
  }

  #openObject(parent: Place, object: object): Fault | undefined {
    for (const key of Object.keys(object)) {
      if (this.#left <= 0) return undefined
      const step = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
      const fault = this.#property(parent, object, key, step)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  #property(parent: Place, object: object, key: string, step: string): Fault | undefined {
    try {
      return this.#look({ value: Reflect.get(object, key), parent, step })
    } catch (error) {
      return { place: { value: undefined, parent, step }, reason: `its getter threw: ${reasonOf(error)}` }
    }
  }

  #canClone(value: unknown): boolean {
    try {
      return this.#isCloneable(value)
    } catch {
      return false
    }
  }
}

function isOpaque(object: object): boolean {
  return ArrayBuffer.isView(object) || types.isBoxedPrimitive(object) || errorBase(object) !== undefined
}

/** Told without trying, because the trial would copy what may be large. */
function isSurelyCloneable(object: object): boolean {
  if (ArrayBuffer.isView(object)) return object.byteLength > 0
  return types.isAnyArrayBuffer(object) && object.byteLength > 0
}

/** V8 reports a value nested too deeply as an exhausted stack. */
function isOverflow(thrown: unknown): boolean {
  return thrown instanceof RangeError && /call stack/i.test(thrown.message)
}

function reasonOf(thrown: unknown): string {
  const message = typeof thrown === 'object' && thrown !== null ? read(thrown, 'message') : undefined
  return typeof message === 'string' && message.trim() !== '' ? message : describe(thrown)
}

function pathOf(fault: Fault): string {
  const steps: string[] = []
  for (let place: Place | undefined = fault.place; place !== undefined; place = place.parent) steps.push(place.step)
  return steps.reverse().join('')
}

function shorten(path: string): string {
  if (path.length <= MAX_PATH) return path
  return `${path.slice(0, MAX_PATH / 2)}…${path.slice(-MAX_PATH / 2)}`
}
