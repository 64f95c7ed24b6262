/** The tasks that a lane holds: posted and not yet answered. And sums over them. */

import { LinkedList } from '../base/linked-list.js'
import type { LaneTask } from './lane-task.js'

export class HeldTasks<T extends LaneTask> {
  /** In the order of posting, which is the order in which the worker claims. */
  readonly cpu = new LinkedList<T>()
  readonly io = new LinkedList<T>()
  /** Expected run time of all CPU tasks, ms. */
  expectedMs = 0
  /** Binary payload of all tasks, bytes. */
  payloadBytes = 0
  /** By kind: when the first task since there was none was posted, ms. */
  cpuSinceMs = 0
  ioSinceMs = 0

  get outstanding(): number {
    return this.cpu.size + this.io.size
  }

  protected add(task: T, nowMs: number): void {
    this.payloadBytes += task.payloadBytes
    if (task.kind === 'io') {
      if (this.io.size === 0) this.ioSinceMs = nowMs
      this.io.push(task)
    } else {
      if (this.cpu.size === 0) this.cpuSinceMs = nowMs
      this.cpu.push(task)
      this.expectedMs += task.expectedMs
    }
  }

  protected remove(task: T): void {
    this.payloadBytes -= task.payloadBytes
    if (task.kind === 'io') this.io.remove(task)
    else {
      this.cpu.remove(task)
      // Sums of fractions drift, but without tasks the sum must be exactly 0.
      this.expectedMs = this.cpu.size === 0 ? 0 : this.expectedMs - task.expectedMs
    }
  }
}
