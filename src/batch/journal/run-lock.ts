/**
 * Keeps two runs from one journal. Node has no lock that the kernel keeps (`flock`) without native code, so the lock is
 * a file that names its owner and beats: the owner counts up a number in it every second.
 *
 * **Who is dead.** Where the owner's process number means something here (same boot, same namespaces), the kernel says
 * so at once, by number and start time. Otherwise (another container, another machine on one volume) the owner counts
 * as dead when the number has stood still through 10 s of looking. No two clocks are compared: whoever waits counts its
 * own looks.
 *
 * **Take-over.** Only one process may replace the lock of one dead owner: the one that holds the marker
 * `….heir-<owner>`, a lock of the same kind, so a dead heir is overcome in the same way. With the marker in hand it
 * reads the lock once more; only if it is still the same, beat included, it renames its own over it.
 *
 * **A living owner that stood still** (stopped, suspended) may meet its heir. Before it writes anything more than 5 s
 * after its last beat, it beats and then looks for the marker, while the heir makes the marker and then looks at the
 * beat: one of the two sees the other. So at most one goes on; a write that the system was in the middle of is the one
 * thing that cannot be called back. When a machine sleeps, its monotonic clock stands still: a run that shares a volume
 * with another machine notices with its next beat.
 *
 * All files are made with O_EXCL and read with O_NOFOLLOW, so a link that was planted in their place is not followed.
 */

import { constants, existsSync, fdatasync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { type Clock, systemClock, type Timer } from '../../base/clock.js'
import { BatchOutputError, JournalError } from '../options/batch-errors.js'
import { isAlive, type LockOwner, parseOwner, thisOwner } from './lock-owner.js'

export interface LockTimes {
  readonly clock: Clock
  readonly beatMs: number
}

const TIMES: LockTimes = { clock: systemClock, beatMs: 1_000 }

/** Beats missed before a lock may be taken over, and before its owner asks again whether it still has it. */
const STALE_BEATS = 10
const LEASE_BEATS = 5
const LOOKS_PER_BEAT = 4

/** How often a lock may change hands during one attempt to take it. More often is a fault. */
const MOST_TRIES = 100

const BEAT_DIGITS = 12

export class RunLock {
  readonly #path: string
  readonly #owner: LockOwner
  readonly #file: FileHandle
  readonly #times: LockTimes
  readonly #timer: Timer
  #beats = 0
  #leaseEndMs: number
  #lost: JournalError | undefined

  private constructor(path: string, owner: LockOwner, file: FileHandle, times: LockTimes, sinceMs: number) {
    this.#path = path
    this.#owner = owner
    this.#file = file
    this.#times = times
    this.#leaseEndMs = sinceMs + LEASE_BEATS * times.beatMs
    this.#timer = times.clock.every(times.beatMs, () => this.#beat())
    this.#timer.unref()
  }

  /**
   * Throws `JournalError` when a living process holds the lock, `BatchOutputError` when it cannot be written. May wait
   * some 10 s for a sign of life of an owner whose process cannot be seen.
   */
  static async take(path: string, times: LockTimes = TIMES): Promise<RunLock> {
    const owner = thisOwner()
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      const sinceMs = times.clock.nowMs()
      const file = await create(path, owner)
      if (file !== undefined) return new RunLock(path, owner, file, times, sinceMs)
      const seen = await look(path)
      if (seen === undefined) continue
      if ((await fate(path, seen, owner, times)) !== 'dead') continue
      const heir = await RunLock.take(heirPath(path, seen), times)
      try {
        const taken = await replace(path, seen, owner, heir)
        if (taken !== undefined) return new RunLock(path, owner, taken, times, times.clock.nowMs())
      } finally {
        await heir.release()
      }
    }
    throw new JournalError(`cannot take over the lock ${path}`)
  }

  /**
   * Throws `JournalError` when another run has taken the lock over. To be asked before every write; mostly costs a look
   * at the clock.
   */
  check(): void {
    if (this.#lost === undefined && this.#times.clock.nowMs() >= this.#leaseEndMs) this.#beat()
    if (this.#lost !== undefined) throw this.#lost
  }

  /** Leaves a lock alone that another run has taken over. */
  async release(): Promise<void> {
    this.#timer.stop()
    try {
      this.check()
      rmSync(this.#path, { force: true })
    } catch {
      // The lock is lost, or its folder is gone: nothing to release.
    }
    await this.#file.close()
  }

  #beat(): void {
    const nowMs = this.#times.clock.nowMs()
    try {
      writeSync(this.#file.fd, beatText(++this.#beats), ownerText(this.#owner).length)
      // Elsewhere the beat is seen once it has left this machine.
      fdatasync(this.#file.fd, () => undefined)
      const isMine = ownerIn(readFileSync(this.#path, 'utf8'))?.id === this.#owner.id
      if (!isMine || existsSync(heirPath(this.#path, { tag: this.#owner.id }))) throw new Error("it is another run's")
      this.#leaseEndMs = nowMs + LEASE_BEATS * this.#times.beatMs
    } catch (error) {
      this.#lost = new JournalError(
        `this run stood still or its lock ${this.#path} was removed, and another may be at work: ${(error as Error).message}`,
        error,
      )
      this.#timer.stop()
    }
  }
}

interface SeenLock {
  readonly owner: LockOwner | undefined
  /** Everything in it, beat included, with what the file system says of the file. */
  readonly text: string
  /** Names this one lock. */
  readonly tag: string
}

function heirPath(path: string, { tag }: Pick<SeenLock, 'tag'>): string {
  return `${path}.heir-${tag.slice(0, 8)}`
}

function ownerText(owner: LockOwner): string {
  // Bytes and characters are the same number, so that the beat has its place.
  return `${JSON.stringify(owner).replace(/[^ -~]/g, '?')}\n`
}

function beatText(beats: number): string {
  return `${String(beats).padStart(BEAT_DIGITS, '0')}\n`
}

function ownerIn(text: string): LockOwner | undefined {
  return parseOwner(text.slice(0, text.indexOf('\n')))
}

/** `undefined` when there is one already. */
async function create(path: string, owner: LockOwner): Promise<FileHandle | undefined> {
  const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined
    throw new BatchOutputError('cannot lock the journal', error)
  })
  try {
    await file?.writeFile(ownerText(owner) + beatText(0))
  } catch (error) {
    await file?.close()
    await rm(path, { force: true })
    throw new BatchOutputError('cannot lock the journal', error)
  }
  return file
}

async function look(path: string): Promise<SeenLock | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    const reason = error.code === 'ELOOP' ? 'it is a link' : error.message
    throw new JournalError(`${path} cannot be read as a lock: ${reason}; remove it if no run is at work`, error)
  })
  if (file === undefined) return undefined
  try {
    const { ino, ctimeNs } = await file.stat({ bigint: true })
    const text = await file.readFile('utf8')
    const owner = ownerIn(text)
    return { owner, text: `${ino} ${text}`, tag: owner?.id ?? (ino ^ ctimeNs).toString(36) }
  } catch (error) {
    throw new JournalError(`${path} cannot be read as a lock: ${(error as Error).message}`, error)
  } finally {
    await file.close()
  }
}

/** Throws when the owner is alive. Gives `changed` when the lock has another owner by now, or none. */
async function fate(path: string, seen: SeenLock, self: LockOwner, times: LockTimes): Promise<'dead' | 'changed'> {
  const alive = seen.owner === undefined ? undefined : isAlive(seen.owner, self)
  if (alive === true) throw inUse(path, seen)
  if (alive === false) return 'dead'
  for (let looks = 0; looks < STALE_BEATS * LOOKS_PER_BEAT; looks++) {
    await new Promise<void>((resolve) => times.clock.after(times.beatMs / LOOKS_PER_BEAT, resolve))
    const now = await look(path)
    if (now === undefined || now.tag !== seen.tag) return 'changed'
    if (now.text !== seen.text) throw inUse(path, now)
  }
  return 'dead'
}

function inUse(path: string, { owner }: SeenLock): JournalError {
  const who = owner === undefined ? '' : ` (process ${owner.pid} on ${owner.host})`
  return new JournalError(`another run${who} is at work with this journal; its lock is ${path}`)
}

/** Puts the own lock in the place of a dead owner's; `undefined` when it is not that one any more. */
async function replace(path: string, seen: SeenLock, owner: LockOwner, heir: RunLock): Promise<FileHandle | undefined> {
  const own = `${path}.${owner.id.slice(0, 8)}`
  const file = await create(own, owner)
  if (file === undefined) throw new JournalError(`cannot lock the journal: ${own} is there`)
  let isTaken = false
  try {
    const now = await look(path)
    if (now?.text !== seen.text) return undefined
    // Nothing below waits, because an heir that stands still has an heir itself.
    heir.check()
    renameSync(own, path)
    isTaken = true
    return file
  } finally {
    if (!isTaken) {
      await file.close()
      await rm(own, { force: true })
    }
  }
}
