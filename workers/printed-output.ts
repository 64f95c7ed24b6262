/**
 * What the thread has printed and the host has not taken yet. A thread hands on what it prints only as fast as the host
 * takes it, and a host whose own reader is slow, or gone, takes nothing.
 */

import { systemClock, type Timer } from '../src/base/clock.js'

/** A stream that the task module has ended takes nothing more, and is not waited for. */
function hasUntaken(stream: NodeJS.WriteStream): boolean {
  return stream.writableLength > 0 && stream.writable
}

function untaken(): NodeJS.WriteStream | undefined {
  return [process.stdout, process.stderr].find(hasUntaken)
}

export class PrintedOutput {
  /** A wait was in vain, and what it waited for has not been taken since. */
  isStuck = false

  /** Something was printed that an answer should wait for. */
  get isAwaited(): boolean {
    return !this.isStuck && untaken() !== undefined
  }

  /** Calls back once all was taken, at once if so already; after `limitMs` in any case. */
  whenTaken(limitMs: number, done: () => void): void {
    let isWaiting = false
    let isOver = false
    let timer: Timer | undefined
    const end = () => {
      isOver = true
      done()
    }
    const look = () => {
      const stream = untaken()
      if (stream !== undefined) {
        isWaiting = true
        stream.write('', look)
        return
      }
      this.isStuck = false
      timer?.stop()
      if (!isOver) end()
    }
    look()
    if (!isWaiting) return
    timer = systemClock.after(limitMs, () => {
      this.isStuck = true
      end()
    })
  }
}
