/**
 * Numbered pieces of shared memory that several runs draw from. How many a run may hold follows what is left: at most
 * `ALPHA` times the free ones (dynamic thresholds, Choudhury and Hahne 1998). So a run alone gets nearly all, several
 * end up with equal numbers, and one that comes later finds some free however long the others hold theirs. Besides,
 * so many are kept back for each run as it needs to get on at all.
 */

/** One run alone holds 4/5 of the units, two hold 4/9 each. */
const ALPHA = 4

interface Waiting {
  readonly share: UnitShare
  readonly resolve: (unit: number) => void
}

export class SharedUnits {
  /** The unit given back last is used next, so runs that need few touch little memory. */
  readonly #free: number[] = []
  readonly #reserve: number
  readonly #shares = new Set<UnitShare>()
  #waiting: Waiting[] = []

  /** `reserve`: the units that a run needs to make any progress. */
  constructor(count: number, reserve: number) {
    for (let unit = count - 1; unit >= 0; unit--) this.#free.push(unit)
    this.#reserve = reserve
  }

  get free(): number {
    return this.#free.length
  }

  join(): UnitShare {
    const share = new UnitShare(this)
    this.#shares.add(share)
    return share
  }

  /** A unit for the share, or `undefined` when it may have no further one now. */
  take(share: UnitShare): number | undefined {
    if (!this.#mayTake(share)) return undefined
    share.held++
    return this.#free.pop()
  }

  /** Waits for a unit; those who wait are served in their order, as far as they may take one. */
  wait(share: UnitShare): Promise<number> {
    const unit = this.take(share)
    if (unit !== undefined) return Promise.resolve(unit)
    return new Promise((resolve) => {
      this.#waiting.push({ share, resolve })
    })
  }

  give(share: UnitShare, unit: number): void {
    share.held--
    this.#free.push(unit)
    this.#serve()
  }

  /** The share takes nothing more, and its waits never end; what it still holds may be given back later. */
  leave(share: UnitShare): void {
    this.#shares.delete(share)
    this.#waiting = this.#waiting.filter((waiting) => waiting.share !== share)
    this.#serve()
  }

  #serve(): void {
    if (this.#waiting.length === 0) return
    this.#waiting = this.#waiting.filter(({ share, resolve }) => {
      const unit = this.take(share)
      if (unit === undefined) return true
      resolve(unit)
      return false
    })
  }

  #mayTake(share: UnitShare): boolean {
    const free = this.#free.length
    if (free === 0 || !this.#shares.has(share)) return false
    if (share.held < this.#reserve) return true
    let keptBack = 0
    for (const other of this.#shares) if (other !== share) keptBack += Math.max(0, this.#reserve - other.held)
    return free > keptBack && share.held < ALPHA * free
  }
}

/** What one run holds of shared units. */
export class UnitShare {
  /** Kept by the units. */
  held = 0
  readonly #units: SharedUnits

  constructor(units: SharedUnits) {
    this.#units = units
  }

  take(): number | undefined {
    return this.#units.take(this)
  }

  wait(): Promise<number> {
    return this.#units.wait(this)
  }

  give(unit: number): void {
    this.#units.give(this, unit)
  }

  leave(): void {
    this.#units.leave(this)
  }
}
