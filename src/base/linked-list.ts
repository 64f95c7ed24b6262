/**
 * A doubly linked list through its members themselves: no node is allocated, and removing any member is O(1). A member
 * is in at most one list at a time.
 */

export interface Linked {
  /** Neighbours in the one list that holds the member. */
  previous: Linked | undefined
  next: Linked | undefined
}

export class LinkedList<T extends Linked> {
  #first: T | undefined
  #last: T | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first
  }

  get last(): T | undefined {
    return this.#last
  }

  push(member: T): void {
    member.previous = this.#last
    member.next = undefined
    if (this.#last === undefined) this.#first = member
    else this.#last.next = member
    this.#last = member
    this.#size++
  }

  /** Inserts the member right before `other`, or at the end without one. */
  insertBefore(member: T, other: T | undefined): void {
    if (other === undefined) {
      this.push(member)
      return
    }
    const previous = other.previous as T | undefined
    member.previous = previous
    member.next = other
    other.previous = member
    if (previous === undefined) this.#first = member
    else previous.next = member
    this.#size++
  }

  /** The member must be in this list. */
  remove(member: T): void {
    const previous = member.previous as T | undefined
    const next = member.next as T | undefined
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    member.previous = undefined
    member.next = undefined
    this.#size--
  }

  shift(): T | undefined {
    const first = this.#first
    if (first !== undefined) this.remove(first)
    return first
  }

  /** Oldest first. The current member of the iteration may leave the list. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let member = this.#first; member !== undefined; ) {
      const next = member.next as T | undefined
      yield member
      member = next
    }
  }
}
