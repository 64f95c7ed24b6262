/**
 * Output that the thread has printed and the host has not taken yet. A host whose own reader is slow or gone takes no
 * output.
 */

import { systemClock, type Timer } from '../src/base/clock.js'

/** A stream that the task module has ended is not waited for. */
function hasUntaken(stream: NodeJS.WriteStream): boolean {
  return stream.writableLength > 0 && stream.writable
}

function untaken(): NodeJS.WriteStream | undefined {
  return [process.stdout, process.stderr].find(hasUntaken)
}

export class PrintedOutput {
  /** True after a wait in vain, until the host has taken that output. */
  isStuck = false

  /** True when there is output that an answer should wait for. */
  get isAwaited(): boolean {
    return !this.isStuck && untaken() !== undefined
  }

  /** Calls back when all output was taken, at the latest after `limitMs`. */
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
