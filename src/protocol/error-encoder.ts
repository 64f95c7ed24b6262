/** The worker's half of error transfer: one encoder encodes one thrown value. */

import {
  className,
  describe,
  type ErrorBase,
  enumerableKeys,
  errorBase,
  firstKeys,
  isPlainContainer,
  ownership,
  read,
  readString,
  scanContainer,
  UNREADABLE,
} from './thrown-value.js'

/** A property: a value that clones as it is, or (`node` set) the index of a node. */
export interface WireEntry {
  readonly key: string
  readonly value?: unknown
  readonly node?: number
  /** Set when the property is not enumerable. */
  readonly hidden?: boolean
}

export interface WireNode {
  readonly base: ErrorBase | 'array' | 'object'
  /** For errors only. Never blank. */
  readonly message?: string
  /** For errors only, if it differs from the base's. Always for a `DOMException`, whose code depends on it. */
  readonly name?: string
  /** Set when the name is enumerable, as one assigned in a constructor is. */
  readonly isNameShown?: boolean
  /** For errors only. */
  readonly stack?: string
  /** For arrays only. Smaller than the original when a note replaces the rest. */
  length?: number
  readonly entries: WireEntry[]
}

/** A thrown value as plain data, safe to clone on every Node version. `root` is the thrown value. */
export interface WireError {
  readonly root: WireEntry
  readonly nodes: readonly WireNode[]
}

/** The most errors and containers sent with one thrown value: far more than people read. */
const MAX_NODES = 1_000

/** The most properties of one encoded error or container. */
const MAX_ENTRIES = 1_000

/**
 * After this many refused clones of one thrown value, all further objects are dropped untested. Each test may cost as
 * much as the whole value, and an object that holds a socket is often refused at every level.
 */
const MAX_REFUSALS = 30

/** The most objects that are checked in one container before it is cloned whole, and in all of one thrown value. */
const MAX_SCANNED = 1_000
const MAX_SCANNED_IN_ALL = 20_000

/** `error.name` of an error that replaces a value that is no error and cannot be cloned. */
const THROWN_VALUE_NAME = 'ThrownValueError'

/** Properties that are sent even if not enumerable; `code` also if it is on a prototype. */
const HIDDEN_KEYS: readonly string[] = ['cause', 'errors', 'code', 'error', 'suppressed']

/** Properties that every error has, which are sent separately. */
const CORE_KEYS: readonly string[] = ['name', 'message', 'stack']

interface Waiting {
  readonly object: object
  readonly node: WireNode
}

export class ErrorEncoder {
  readonly #isCloneable: (value: unknown) => boolean
  readonly #nodes: WireNode[] = []
  readonly #indexes = new Map<object, number>()
  /** Objects whose nodes have no entries yet, in the order of the nodes. */
  readonly #waiting: Waiting[] = []
  /** Arrays named `errors`. In them, a member that cannot be sent is described. */
  readonly #errorLists = new Set<WireNode>()
  #cutNode = -1
  #refusals = 0
  #scansLeft = MAX_SCANNED_IN_ALL

  constructor(isCloneable: (value: unknown) => boolean) {
    this.#isCloneable = isCloneable
  }

  encode(thrown: unknown): WireError {
    const crosses = isPrimitive(thrown) || isError(thrown) || this.#canClone(thrown)
    const root = (crosses && this.#entry('', thrown)) || this.#described('', thrown, 'the task threw a value')
    // Breadth first, so that the limit of nodes cuts the far end of the graph.
    for (const { object, node } of this.#waiting) {
      if (node.base === 'array' || node.base === 'object') this.#fillContainer(object, node, this.#errorLists.has(node))
      else this.#fillError(object, node)
    }
    return { root, nodes: this.#nodes }
  }

  /** Undefined for a value that cannot be sent. */
  #entry(key: string, value: unknown): WireEntry | undefined {
    if (isPrimitive(value)) return { key, value }
    if (typeof value !== 'object' || value === null) return undefined
    const known = this.#indexes.get(value)
    if (known !== undefined) return { key, node: known }
    const base = errorBase(value)
    if (base !== undefined) return { key, node: this.#addError(value, base) }
    const isContainer = isPlainContainer(value)
    if ((!isContainer || this.#isPlainData(value)) && this.#canClone(value)) return { key, value }
    if (!isContainer || this.#nodes.length >= MAX_NODES) return undefined
    if (!Array.isArray(value) && firstKeys(value, MAX_ENTRIES + 1).length > MAX_ENTRIES) return undefined
    const shape = Array.isArray(value) ? { base: 'array' as const, length: value.length } : { base: 'object' as const }
    return { key, node: this.#add(value, { ...shape, entries: [] }) }
  }

  #addError(error: object, base: ErrorBase): number {
    if (this.#nodes.length >= MAX_NODES) return this.#cut()
    const message = errorMessage(error, base)
    const name = errorName(error, base)
    const ownName = ownership(error, 'name')
    // Without its own stack it must not show the decoder's.
    const stack = readString(error, 'stack') || `${name}: ${message}`
    const named = ownName !== 'none' || name !== base ? { name, isNameShown: ownName === 'enumerable' } : {}
    return this.#add(error, { base, message, ...named, stack, entries: [] })
  }

  #add(object: object, node: WireNode): number {
    const index = this.#nodes.push(node) - 1
    this.#indexes.set(object, index)
    this.#waiting.push({ object, node })
    return index
  }

  /** One note for everything that was left out. */
  #cut(): number {
    if (this.#cutNode === -1) {
      const message = `left out: more than ${MAX_NODES} errors and objects hang together`
      this.#cutNode = this.#nodes.push(bareError('Error', message)) - 1
    }
    return this.#cutNode
  }

  /** An error in place of a value that cannot be sent, with those of its properties that can. */
  #described(key: string, value: unknown, subject: string): WireEntry {
    const node = bareError(THROWN_VALUE_NAME, `${subject} that cannot be sent between threads: ${describe(value)}`)
    const index = this.#nodes.push(node) - 1
    if (typeof value === 'object' && value !== null) this.#copyShown(value, node)
    return { key, node: index }
  }

  #fillError(error: object, node: WireNode): void {
    for (const key of HIDDEN_KEYS) this.#pushHidden(error, node, key)
    this.#copyShown(error, node)
  }

  #pushHidden(error: object, node: WireNode, key: string): void {
    if (ownership(error, key) === 'enumerable') return // copied with the other properties
    const inherited = ownership(error, key) === 'none'
    // The code of a DOMException follows from its name.
    if (inherited && (key !== 'code' || node.base === 'DOMException')) return
    const value = read(error, key)
    if (inherited && value === undefined) return
    this.#push(node, key, value, true)
  }

  #copyShown(object: object, node: WireNode): void {
    let taken = 0
    for (const key of enumerableKeys(object)) {
      if (CORE_KEYS.includes(key)) continue
      if (taken++ === MAX_ENTRIES) return
      this.#push(node, key, read(object, key), false)
    }
  }

  #fillContainer(container: object, node: WireNode, describes: boolean): void {
    const isList = Array.isArray(container) && (describes || container.length > MAX_ENTRIES)
    for (const key of isList ? firstKeys(container, MAX_ENTRIES) : enumerableKeys(container)) {
      const value = read(container, key)
      if (isList && this.#hasNoPlaceFor(value)) {
        this.#cutList(node, Number(key), container.length)
        return
      }
      if (value === UNREADABLE) continue
      const entry = this.#entry(key, value) ?? (describes ? this.#described(key, value, 'a value') : undefined)
      if (entry !== undefined) node.entries.push(entry)
    }
    if (isList && container.length > MAX_ENTRIES) this.#cutList(node, MAX_ENTRIES, container.length)
  }

  #hasNoPlaceFor(value: unknown): boolean {
    return typeof value === 'object' && value !== null && this.#nodes.length >= MAX_NODES && !this.#indexes.has(value)
  }

  /** Ends the list with a note in place of all members from `index` on. */
  #cutList(node: WireNode, index: number, length: number): void {
    const note = bareError('Error', `left out: ${length - index} further of ${length} members`)
    node.length = index + 1
    node.entries.push({ key: `${index}`, node: this.#nodes.push(note) - 1 })
  }

  #push(node: WireNode, key: string, value: unknown, hidden: boolean): void {
    if (value === UNREADABLE) return
    // A cause that cannot be sent is described instead of lost.
    const entry =
      this.#entry(key, value) ?? (key === 'cause' ? this.#described(key, value, 'the cause is a value') : undefined)
    if (entry === undefined) return
    node.entries.push(hidden ? { ...entry, hidden } : entry)
    if (key === 'errors' && entry.node !== undefined) this.#errorLists.add(this.#nodes[entry.node]!)
  }

  #isPlainData(container: object): boolean {
    if (this.#scansLeft <= 0) return false
    const { isPlainData, objects } = scanContainer(container, MAX_SCANNED)
    this.#scansLeft -= objects
    return isPlainData
  }

  #canClone(value: unknown): boolean {
    if (this.#refusals >= MAX_REFUSALS) return false
    try {
      if (this.#isCloneable(value)) return true
    } catch {
      // A getter or trap of the value threw: it cannot be cloned either.
    }
    this.#refusals++
    return false
  }
}

function isPrimitive(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol')
}

function isError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && errorBase(value) !== undefined
}

function bareError(name: string, message: string): WireNode {
  return { base: 'Error', message, name, stack: `${name}: ${message}`, entries: [] }
}

/** The error's name, or that of its class when the name is only its built-in constructor's. */
function errorName(error: object, base: ErrorBase): string {
  const name = readString(error, 'name')?.trim()
  if (base === 'DOMException') return name || 'Error'
  if (name && name !== base) return name
  if (ownership(error, 'name') !== 'none') return base
  return className(error) ?? base
}

function errorMessage(error: object, base: ErrorBase): string {
  const message = read(error, 'message')
  if (typeof message === 'string' && message.trim() !== '') return message
  const name = errorName(error, base)
  if (message === UNREADABLE) return `${name} with a message that cannot be read`
  if (message !== undefined && message !== null && typeof message !== 'string') return describe(message)
  const code = readString(error, 'code')
  return code ? `${name} [${code}] without a message` : `${name} without a message`
}
