/** When the next record may start: a rate, and gates that look at the machine and at this process. */

import { readFile } from 'node:fs/promises'
import { freemem, loadavg } from 'node:os'
import type PQueue from 'p-queue'
import type { Clock, Timer } from '../../base/clock.js'
import { loadPidusage } from '../../base/packages.js'
import type { AdmissionGate } from '../options/map-options.js'

export interface AdmissionOptions {
  /** Most starts per second. */
  readonly perSecond: number | undefined
  readonly gates: readonly AdmissionGate[]
  readonly clock: Clock
  /** p-queue. */
  readonly Queue: typeof PQueue
  readonly pollMs?: number
}

/** Rates are kept over tenths of a second, so a second's starts do not come in one burst. */
const SLICE_MS = 100
const POLL_MS = 500

/**
 * Holds records back for the rate and while a gate is shut. Both work through one p-queue: it meters the rate, and it is paused
 * while a gate is shut. A run with neither has no admission, so its records do not pass through here.
 *
 * The rate limits starts. A record keeps its place in the p-queue until an interval after its start was seen, whatever
 * delays it (a slow `setup`, a pause, busy workers). Starts are counted, not told apart: as many places wait for a start as
 * records are sent and not started.
 */
export class Admission {
  /** How often `look` is to be called. */
  static readonly lookMs = 5
  /** Why nothing is started at the moment. */
  heldBy: string | undefined
  readonly #queue: PQueue
  readonly #gates: readonly AdmissionGate[]
  readonly #clock: Clock
  readonly #timer: Timer | undefined
  /** Length of the interval, ms; 0 without a rate. */
  readonly #intervalMs: number = 0
  /** Ends the places of admitted records that are not known to have started. */
  #places: (() => void)[] = []
  #isPolling = false

  constructor({ perSecond, gates, clock, Queue, pollMs = POLL_MS }: AdmissionOptions) {
    this.#gates = gates
    this.#clock = clock
    this.#queue = new Queue(perSecond === undefined ? {} : { concurrency: capOf(perSecond) })
    if (perSecond !== undefined) this.#intervalMs = (capOf(perSecond) * 1000) / perSecond
    if (gates.length === 0) return
    this.#timer = clock.every(pollMs, () => void this.poll())
    this.#timer.unref()
  }

  /** Whether a rate is kept: then every record has to be sent by itself, or in a group of one task. */
  get isMetered(): boolean {
    return this.#intervalMs > 0
  }

  /** Waits until one more record may start; it must be sent at once. */
  admit(): Promise<void> {
    return new Promise((admitted) => {
      void this.#queue.add(async () => {
        admitted()
        if (this.isMetered) await new Promise<void>((end) => this.#places.push(end))
      })
    })
  }

  /** Takes in how many admitted records no worker has started. */
  look(unstarted: number): void {
    const started = this.#places.length - unstarted
    for (const end of this.#places.splice(0, Math.max(0, started))) this.#clock.after(this.#intervalMs, end).unref()
  }

  /** Looks at the gates once; a gate that cannot be read counts as open. */
  async poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      const reasons = await Promise.all(this.#gates.map((gate) => gate.closedBecause().catch(() => undefined)))
      this.heldBy = reasons.find((reason) => reason !== undefined)
      if (this.heldBy === undefined) this.#queue.start()
      else this.#queue.pause()
    } finally {
      this.#isPolling = false
    }
  }

  /** Lets in every record that still waits. Nothing is held back after that. */
  close(): void {
    this.#timer?.stop()
    this.heldBy = undefined
    this.#queue.start()
  }
}

/** Starts in one interval. */
function capOf(perSecond: number): number {
  return Math.max(1, Math.round((perSecond * SLICE_MS) / 1000))
}

const MIB = 2 ** 20

function mib(sizeBytes: number): string {
  return `${Math.round(sizeBytes / MIB)} MiB`
}

/** Shut while the load average of the last minute is above the limit; processes, as `uptime` counts them. */
export function loadGate(maxLoad: number, load: () => number = () => loadavg()[0]!): AdmissionGate {
  return {
    name: 'max-load',
    closedBecause: async () => (load() > maxLoad ? `load ${load().toFixed(2)} is above ${maxLoad}` : undefined),
  }
}

async function ownMemoryBytes(): Promise<number> {
  return (await (await loadPidusage())(process.pid)).memory
}

/**
 * Shut while this process's resident memory is above the limit. Opens again by
 * itself once memory was given back.
 */
export function memoryGate(maxBytes: number, memoryBytes: () => Promise<number> = ownMemoryBytes): AdmissionGate {
  return {
    name: 'max-rss',
    closedBecause: async () => {
      const sizeBytes = await memoryBytes()
      return sizeBytes > maxBytes ? `memory of ${mib(sizeBytes)} is above ${mib(maxBytes)}` : undefined
    },
  }
}

/** The kernel's estimate of the memory that programs can get without swapping; elsewhere the free memory. */
async function availableMemoryBytes(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const kib = /^MemAvailable:\s+([0-9]+) kB/m.exec(text)?.[1]
  return kib === undefined ? freemem() : Number(kib) * 1024
}

/** Shut while the machine has less memory to give than the limit. */
export function freeMemoryGate(
  minBytes: number,
  freeBytes: () => Promise<number> = availableMemoryBytes,
): AdmissionGate {
  return {
    name: 'min-free',
    closedBecause: async () => {
      const sizeBytes = await freeBytes()
      return sizeBytes < minBytes ? `only ${mib(sizeBytes)} of memory are free, fewer than ${mib(minBytes)}` : undefined
    },
  }
}
