/** Gates on the state of the machine and of this process. They only hold back starts; nothing is killed. */

import { readFile } from 'node:fs/promises'
import { freemem, loadavg } from 'node:os'
import pidusage from 'pidusage'
import type { AdmissionGate } from '../options/map-options.js'

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
  return (await pidusage(process.pid)).memory
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

/** Memory that programs can have without swapping, as the kernel reckons it; else what is free. */
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
