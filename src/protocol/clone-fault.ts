/**
 * Where a payload or a result holds what the structured clone refuses. The clone itself says only what it refused,
 * not where; this looks again, after the refusal, and names the place.
 */

import { types } from 'node:util'
import { MessagePort } from 'node:worker_threads'
import { EvenkeelError } from '../base/errors.js'
import { className, describe, enumerableKeys, errorBase, read } from './thrown-value.js'
import { isDetached } from './transfer.js'

/** Properties looked at before the search gives up and names the whole value: a few milliseconds of work. */
const MAX_LOOKED_AT = 50_000

/** Longest path in a message, in characters; a longer one keeps its two ends. */
const MAX_PATH = 200

export interface RefusedClone {
  /** What the value is called at the start of the path. */
  readonly root: 'payload' | 'result' | 'progress' | 'item'
  readonly value: unknown
  /** What the clone threw. */
  readonly thrown: unknown
  /** Name of the task whose value it is. */
  readonly task?: string
  /** Objects that were handed over rather than cloned: never the fault. */
  readonly transferred?: readonly unknown[]
}

/** Where a value holds what cannot be cloned, and what stands there. */
export interface CloneFault {
  /** Starts with the root's name: `payload.items[3].socket`. */
  readonly path: string
  readonly reason: string
}

/** Whether the structured clone takes the value; costs as much as the clone. Never throws. */
export function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

/**
 * The place of the first thing that cannot be cloned, by the shortest path; undefined where bounded work finds
 * none. Runs getters, as the clone did. Never throws.
 * @param transferred objects that were handed over rather than cloned: never the fault.
 */
export function findCloneFault(
  value: unknown,
  root: string,
  transferred: readonly unknown[] = [],
): CloneFault | undefined {
  const found = new Search(transferred).run(value)
  return found && { path: shorten(root + pathOf(found.place)), reason: found.reason }
}

/**
 * An `EVENKEEL_CLONE` error, name `DataCloneError`, whose `path` names what cannot be cloned, and whose `cause` is
 * what the clone threw: a `DataCloneError`, the error of a getter, or the `RangeError` of a value nested too
 * deeply. Never throws.
 */
export function cloneError({ root, value, thrown, task, transferred }: RefusedClone): EvenkeelError {
  const details = { cause: thrown, ...(task !== undefined && { task }) }
  if (isOverflow(thrown)) {
    return new EvenkeelError('EVENKEEL_CLONE', `${root} is nested too deeply to be cloned`, { ...details, path: root })
  }
  const { path, reason } = findCloneFault(value, root, transferred) ?? { path: root, reason: reasonOf(thrown) }
  const message = `${path} cannot be cloned: ${reason}${adviceOn(root, value)}`
  return new EvenkeelError('EVENKEEL_CLONE', message, { ...details, path })
}

/** A task that yields was called as one that returns. */
function adviceOn(root: RefusedClone['root'], value: unknown): string {
  const yields = root === 'result' && types.isGeneratorObject(value)
  return yields ? '; a task that yields items is called by stream(), not by run()' : ''
}

/** One step of the way from the value to the fault. */
interface Place {
  readonly value: unknown
  readonly parent: Place | undefined
  /** As it stands in the path: `.name`, `[3]`. */
  readonly step: string
}

interface Found {
  readonly place: Place
  readonly reason: string
}

/** Breadth first, so that the shortest path is named; a list, not recursion, so that depth does not matter. */
class Search {
  readonly #seen: Set<unknown>
  readonly #places: Place[] = []
  #left = MAX_LOOKED_AT

  constructor(transferred: readonly unknown[]) {
    this.#seen = new Set(transferred)
  }

  run(value: unknown): Found | undefined {
    let fault = this.#look({ value, parent: undefined, step: '' })
    for (let next = 0; fault === undefined && next < this.#places.length && this.#left > 0; next++) {
      fault = this.#open(this.#places[next]!)
    }
    return fault
  }

  #look(place: Place): Found | undefined {
    this.#left--
    const { value } = place
    if (typeof value === 'function' || typeof value === 'symbol') return { place, reason: describe(value) }
    if (typeof value !== 'object' || value === null || this.#seen.has(value)) return undefined
    this.#seen.add(value)
    if (types.isProxy(value)) return { place, reason: 'a Proxy' }
    this.#places.push(place)
    return undefined
  }

  #open(place: Place): Found | undefined {
    const object = place.value as object
    const before = this.#left
    let fault: Found | undefined
    if (Array.isArray(object)) fault = this.#openArray(place, object)
    else if (types.isMap(object)) fault = this.#openMap(place, object)
    else if (types.isSet(object)) fault = this.#openSet(place, object)
    // The clone reads no properties of these: it knows them, or refuses them whole.
    else if (!isOpaque(object)) fault = this.#openObject(place, object)
    fault ??= movedFault(place, object)
    const isLeaf = this.#left === before
    if (fault === undefined && isLeaf && !isSurelyCloneable(object) && !isCloneable(object)) {
      return { place, reason: kindName(object) }
    }
    return fault
  }

  #openArray(parent: Place, array: readonly unknown[]): Found | undefined {
    for (let index = 0; index < array.length && this.#left > 0; index++) {
      const fault = this.#property(parent, array, String(index), `[${index}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  #openMap(parent: Place, map: Map<unknown, unknown>): Found | undefined {
    let position = 0
    for (const [key, value] of Map.prototype.entries.call(map)) {
      const fault =
        this.#look({ value: key, parent, step: `.keys()[${position++}]` }) ??
        this.#look({ value, parent, step: `.get(${describe(key)})` })
      if (fault !== undefined || this.#left <= 0) return fault
    }
    return undefined
  }

  #openSet(parent: Place, set: Set<unknown>): Found | undefined {
    let position = 0
    for (const value of Set.prototype.values.call(set)) {
      const fault = this.#look({ value, parent, step: `.values()[${position++}]` })
      if (fault !== undefined || this.#left <= 0) return fault
    }
    return undefined
  }

  #openObject(parent: Place, object: object): Found | undefined {
    for (const key of enumerableKeys(object)) {
      if (this.#left <= 0) return undefined
      const step = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
      const fault = this.#property(parent, object, key, step)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  #property(parent: Place, object: object, key: string, step: string): Found | undefined {
    try {
      return this.#look({ value: Reflect.get(object, key), parent, step })
    } catch (error) {
      return { place: { value: undefined, parent, step }, reason: `its getter threw: ${reasonOf(error)}` }
    }
  }
}

function kindName(object: object): string {
  if (types.isGeneratorObject(object)) return 'a generator'
  const name = className(object) ?? 'object'
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
}

/** What can only be moved, or was. Never tried: cloning a port that was moved ends the process (Node 20). */
function movedFault(place: Place, object: object): Found | undefined {
  if (object instanceof MessagePort)
    return { place, reason: 'a MessagePort that is not transferred, or was moved before' }
  const buffer = ArrayBuffer.isView(object) ? object.buffer : object
  const moved = buffer instanceof ArrayBuffer && isDetached(buffer)
  return moved
    ? { place, reason: `a ${className(object) ?? 'buffer'} whose memory was moved elsewhere before` }
    : undefined
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

function pathOf(last: Place): string {
  const steps: string[] = []
  for (let place: Place | undefined = last; place !== undefined; place = place.parent) steps.push(place.step)
  return steps.reverse().join('')
}

function shorten(path: string): string {
  if (path.length <= MAX_PATH) return path
  return `${path.slice(0, MAX_PATH / 2)}…${path.slice(-MAX_PATH / 2)}`
}
