/**
 * How many CPUs and how much memory this process may really use. Node 20 knows the CPUs that it may be scheduled on,
 * but not a container's CPU quota (Linux control groups, versions 1 and 2).
 */

import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'

/** The text of a file, or undefined when it cannot be read. */
export type ReadText = (path: string) => string | undefined

const readSystemText: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const MOUNT = '/sys/fs/cgroup'

/** Version 1 has one tree per controller, mounted under the controller's name. `cpu` and `cpuacct` often share one. */
const CPU_MOUNTS_V1 = [`${MOUNT}/cpu`, `${MOUNT}/cpu,cpuacct`, `${MOUNT}/cpuacct,cpu`]
const MEMORY_MOUNTS_V1 = [`${MOUNT}/memory`]

/** Version 1 writes "no limit" as the largest multiple of the page size. No machine has a pebibyte. */
const NO_MEMORY_LIMIT_BYTES = 2 ** 50

/** The deepest nesting of groups that is read. */
const MAX_DEPTH = 64

/**
 * The smallest CPU quota of this process's group and of the groups above it, such as 1.25. Undefined without a quota.
 * Reads a few small files. Never throws.
 */
export function cpuQuota(readText: ReadText = readSystemText): number | undefined {
  const groups = ownGroups(readText)
  return smallest([
    ...groupFolders([MOUNT], groups.unified).map((folder) => quotaV2(readText, folder)),
    ...groupFolders(CPU_MOUNTS_V1, groups.controllers.get('cpu')).map((folder) => quotaV1(readText, folder)),
  ])
}

/** Memory that this process may use, bytes: the machine's, or the smallest group limit below that. Never throws. */
export function memoryLimitBytes(readText: ReadText = readSystemText, machineBytes: number = totalmem()): number {
  const groups = ownGroups(readText)
  const limits = [
    ...groupFolders([MOUNT], groups.unified).map((folder) => byteCount(readText(`${folder}/memory.max`))),
    ...groupFolders(MEMORY_MOUNTS_V1, groups.controllers.get('memory')).map((folder) =>
      byteCount(readText(`${folder}/memory.limit_in_bytes`)),
    ),
  ]
  return Math.min(machineBytes, smallest(limits) ?? machineBytes)
}

/**
 * The default number of workers: the CPUs this process may be scheduled on, at most its CPU quota rounded up, at least
 * 1. A quota of 1.25 gives 2, because one worker would leave a fifth of it unused.
 */
export function defaultParallelism(
  readText: ReadText = readSystemText,
  schedulableCpus: number = availableParallelism(),
): number {
  const quota = cpuQuota(readText) ?? schedulableCpus
  return Math.max(1, Math.min(schedulableCpus, Math.ceil(quota)))
}

interface Groups {
  /** Path of the version 2 group. */
  readonly unified: string | undefined
  /** Paths of the version 1 groups by controller. */
  readonly controllers: ReadonlyMap<string, string>
}

/** `/proc/self/cgroup`: lines of `number:controllers:path`; number 0 without controllers is version 2. */
function ownGroups(readText: ReadText): Groups {
  let unified: string | undefined
  const controllers = new Map<string, string>()
  for (const line of (readText('/proc/self/cgroup') ?? '').split('\n')) {
    const [number, names, ...rest] = line.split(':')
    const path = rest.join(':')
    if (names === undefined || !path.startsWith('/')) continue
    if (number === '0' && names === '') unified = path
    for (const name of names.split(',')) if (name !== '') controllers.set(name, path)
  }
  return { unified, controllers }
}

/**
 * The folders of a group and of all groups above it, whose quotas count too. Inside a container the path is often the
 * host's and does not exist. Then the mount's own folder, last in the list, is the container's group.
 */
function groupFolders(mounts: readonly string[], path: string | undefined): string[] {
  // A path that starts with `..` is outside this process's view of the tree.
  const names = (path ?? '').split('/').filter((name) => name !== '' && name !== '.' && name !== '..')
  const folders: string[] = []
  for (const mount of mounts) {
    for (let depth = Math.min(names.length, MAX_DEPTH); depth >= 0; depth--) {
      folders.push([mount, ...names.slice(0, depth)].join('/'))
    }
  }
  return folders
}

/** `cpu.max` holds `quota period`, both in microseconds, or `max period`. */
function quotaV2(readText: ReadText, folder: string): number | undefined {
  const [quota, period] = (readText(`${folder}/cpu.max`) ?? '').trim().split(/\s+/)
  return ratio(quota, period ?? '100000')
}

/** A quota of -1 means none. */
function quotaV1(readText: ReadText, folder: string): number | undefined {
  return ratio(readText(`${folder}/cpu.cfs_quota_us`), readText(`${folder}/cpu.cfs_period_us`))
}

function ratio(quota: string | undefined, period: string | undefined): number | undefined {
  const cpus = Number(quota) / Number(period)
  return Number.isFinite(cpus) && cpus > 0 ? cpus : undefined
}

function byteCount(text: string | undefined): number | undefined {
  const bytes = Number(text)
  return bytes > 0 && bytes < NO_MEMORY_LIMIT_BYTES ? bytes : undefined
}

function smallest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
