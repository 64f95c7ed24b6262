/**
 * Keeps two runs from one journal. The lock is a file that names its owner's process; the start time tells the owner
 * from a later process with the same number. A dead owner's lock is taken over.
 */

import { readFileSync } from 'node:fs'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { BatchOutputError, JournalError } from './batch-errors.js'

interface Owner {
  readonly pid: number
  readonly started: string
}

/** What the kernel says of a process: its state, and when it started, as the kernel counts it; '' where it says nothing. */
function statusOf(pid: number): { readonly state: string; readonly started: string } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may hold blanks; behind it fields 3 (state) to 22 (start) follow.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', started: fields[19] ?? '' }
  } catch {
    return { state: '', started: '' }
  }
}

function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = statusOf(pid)
  // A process that was killed stays as a zombie until its parent asks after it; in a container without an init, for ever.
  if (now.state === 'Z') return false
  return now.started === '' || started === '' || now.started === started
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, started } = JSON.parse(text) as Partial<Owner>
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined
  } catch {
    return undefined
  }
}

export class RunLock {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  /** Throws `JournalError` when a living process holds the lock, `BatchOutputError` when it cannot be written. */
  static async take(path: string): Promise<RunLock> {
    const own = `${path}.${process.pid}`
    const text = JSON.stringify({ pid: process.pid, started: statusOf(process.pid).started } satisfies Owner)
    // Written apart and linked into place: no reader ever sees a lock that names nobody.
    const file = await open(own, 'w').catch((error: unknown) => {
      throw new BatchOutputError('cannot lock the journal', error)
    })
    try {
      await file.writeFile(text)
      await file.close()
      for (let attempt = 0; attempt < 10; attempt++) {
        if (await linked(own, path)) return new RunLock(path)
        await removeIfDead(path, own)
      }
      throw new JournalError(`cannot take over the lock ${path}`)
    } finally {
      await rm(own, { force: true })
    }
  }

  async release(): Promise<void> {
    await rm(this.#path, { force: true })
  }
}

async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw new JournalError(`cannot lock the journal: ${(error as Error).message}`, error)
  }
}

/** Moves a dead owner's lock aside. Of several that try, the rename lets only one succeed for each lock file. */
async function removeIfDead(path: string, own: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const owner = parseOwner(text)
  if (owner !== undefined && isAlive(owner)) {
    throw new JournalError(`another run (process ${owner.pid}) is at work with this journal; its lock is ${path}`)
  }
  const aside = `${own}.dead`
  await rename(path, aside).catch(() => undefined)
  // Between reading and moving, another run may have put its own lock there: then it goes back.
  const moved = await readFile(aside, 'utf8').catch(() => text)
  if (moved !== text) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}
