/** Who holds a lock, and what can be proved about it from here. */

import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export interface LockOwner {
  readonly id: string
  readonly pid: number
  readonly host: string
  /**
   * Where the process number and the start time mean something: this boot of this kernel, this namespace of process numbers and of
   * clocks. Blank where the system does not say.
   */
  readonly space: string
  /** When the kernel started the process, as it counts. */
  readonly started: string
}

/** Fields of `/proc/<pid>/stat` that matter; `undefined` where there is no such process, or no such file system. */
function statusOf(pid: number | 'self'): { pid: number; state: string; started: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may hold blanks; behind it fields 3 (state) to 22 (start) follow.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { pid: Number.parseInt(text, 10), state: fields[0] ?? '', started: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

function linkText(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function spaceOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const numbers = linkText('/proc/self/ns/pid')
    // A /proc that was mounted for another namespace has other numbers than `process.pid`.
    if (numbers === '' || statusOf('self')?.pid !== process.pid) return ''
    return `${boot} ${numbers} ${linkText('/proc/self/ns/time')}`
  } catch {
    return ''
  }
}

/** This process, with an id that no other lock has. */
export function thisOwner(): LockOwner {
  const started = statusOf('self')?.started ?? ''
  return { id: randomUUID(), pid: process.pid, host: hostname(), space: spaceOf(), started }
}

export function parseOwner(text: string): LockOwner | undefined {
  try {
    const { id, pid, host, space, started } = JSON.parse(text) as Partial<LockOwner>
    const isWhole = [id, host, space, started].every((part) => typeof part === 'string') && Number.isInteger(pid)
    return isWhole ? ({ id, pid, host, space, started } as LockOwner) : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether the owner's process lives; `undefined` when that cannot be told from here, because it may run under another kernel or
 * in another container.
 */
export function isAlive(owner: LockOwner, { space }: Pick<LockOwner, 'space'>): boolean | undefined {
  if (space === '' || owner.space !== space) return undefined
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = statusOf(owner.pid)
  // Hidden from other users (`hidepid`), but there.
  if (now === undefined) return true
  // A process that was killed stays as a zombie until its parent asks after it; in a container without an init, for ever.
  return now.state !== 'Z' && now.state !== 'X' && now.started === owner.started
}
