/**
 * A bounded search in a value. Breadth first, so it finds the shortest path to a place; with a list instead of
 * recursion, so depth is no limit. Reads the properties that the structured clone reads, getters included.
 */

import { types } from 'node:util'
import { describe, enumerableKeys } from './thrown-value.js'

/** Longest path in a message, in characters. A longer one keeps only its two ends. */
const MAX_PATH = 200

type StepKind = 'root' | 'index' | 'property' | 'map-key' | 'map-value' | 'set-member'

/** An object, function or symbol in the value, and the path to it. */
export interface Place {
  readonly value: unknown
  readonly parent: Place | undefined
  readonly kind: StepKind
  readonly key: unknown
}

/** A place in a value, and what is wrong there. */
export interface ValueFault {
  /** Starts with the root's name: `payload.items[3].socket`. */
  readonly path: string
  readonly reason: string
}

/** Decides which places are faults. The first reason that a method returns ends the walk. */
export interface Judge {
  /** Called with each object, function or symbol once, before it is opened. */
  met(value: unknown): string | undefined
  /** Whether the object's members are visited. */
  opens(object: object): boolean
  /** Called after its members were visited. `isLeaf`: it has none. */
  opened?(object: object, isLeaf: boolean): string | undefined
  /** Called with what a getter threw. */
  threw?(error: unknown): string | undefined
}

export class ValueWalk {
  readonly #judge: Judge
  readonly #seen: Set<unknown>
  readonly #places: Place[] = []
  #left: number
  #fault: { readonly place: Place; readonly reason: string } | undefined

  /**
   * @param most the most members that are visited
   * @param moved objects that are moved instead of cloned: not visited
   */
  constructor(judge: Judge, most: number, moved: readonly unknown[] | undefined) {
    this.#judge = judge
    this.#left = most
    this.#seen = new Set(moved)
  }

  /** The first fault, or undefined when the bounded search finds none. */
  run(value: unknown, root: string): ValueFault | undefined {
    this.#meet(value, undefined, 'root', root)
    for (let next = 0; next < this.#places.length && this.#goesOn; next++) this.#open(this.#places[next]!)
    return this.#fault && { path: pathOf(this.#fault.place), reason: this.#fault.reason }
  }

  get #goesOn(): boolean {
    return this.#fault === undefined && this.#left > 0
  }

  #meet(value: unknown, parent: Place | undefined, kind: StepKind, key: unknown): void {
    this.#left--
    if (typeof value === 'object' ? value === null : typeof value !== 'function' && typeof value !== 'symbol') return
    if (this.#seen.has(value)) return
    this.#seen.add(value)
    const place = { value, parent, kind, key }
    this.#blame(place, this.#judge.met(value))
    if (typeof value === 'object') this.#places.push(place)
  }

  #open(place: Place): void {
    const object = place.value as object
    const before = this.#left
    if (this.#judge.opens(object)) {
      if (Array.isArray(object)) this.#openArray(place, object)
      else if (types.isMap(object)) this.#openMap(place, object)
      else if (types.isSet(object)) this.#openSet(place, object)
      else this.#openObject(place, object)
    }
    if (this.#fault === undefined) this.#blame(place, this.#judge.opened?.(object, this.#left === before))
  }

  #openArray(place: Place, array: readonly unknown[]): void {
    for (let index = 0; index < array.length && this.#goesOn; index++) this.#read(place, array, 'index', index)
  }

  #openMap(place: Place, map: Map<unknown, unknown>): void {
    let position = 0
    for (const [key, value] of Map.prototype.entries.call(map)) {
      this.#meet(key, place, 'map-key', position++)
      if (this.#goesOn) this.#meet(value, place, 'map-value', key)
      if (!this.#goesOn) return
    }
  }

  #openSet(place: Place, set: Set<unknown>): void {
    let position = 0
    for (const value of Set.prototype.values.call(set)) {
      this.#meet(value, place, 'set-member', position++)
      if (!this.#goesOn) return
    }
  }

  #openObject(place: Place, object: object): void {
    for (const key of enumerableKeys(object)) {
      if (!this.#goesOn) return
      this.#read(place, object, 'property', key)
    }
  }

  #read(parent: Place, object: object, kind: StepKind, key: number | string): void {
    let value: unknown
    try {
      value = Reflect.get(object, key)
    } catch (error) {
      this.#blame({ value: undefined, parent, kind, key }, this.#judge.threw?.(error))
      return
    }
    this.#meet(value, parent, kind, key)
  }

  #blame(place: Place, reason: string | undefined): void {
    if (reason !== undefined) this.#fault ??= { place, reason }
  }
}

function pathOf(last: Place): string {
  const steps: string[] = []
  for (let place: Place | undefined = last; place !== undefined; place = place.parent) steps.push(stepOf(place))
  const path = steps.reverse().join('')
  return path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH / 2)}…${path.slice(-MAX_PATH / 2)}`
}

function stepOf({ kind, key }: Place): string {
  switch (kind) {
    case 'root':
      return String(key)
    case 'index':
      return `[${key}]`
    case 'map-key':
      return `.keys()[${key}]`
    case 'map-value':
      return `.get(${describe(key)})`
    case 'set-member':
      return `.values()[${key}]`
    case 'property':
      return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key as string) ? `.${key}` : `[${JSON.stringify(key)}]`
  }
}
