/** The machine and the versions that a figure belongs to. */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuQuota } from '../../src/base/parallelism.js'
import { contenderEntry, contenderNames } from '../contenders/catalogue.js'

export interface Environment {
  readonly node: string
  readonly uv: string
  readonly v8: string
  readonly platform: string
  readonly cpuModel: string
  readonly processors: number
  /** What Node takes for the number of processors it may use; it ignores a quota. */
  readonly parallelism: number
  /** Processors that the control group grants, where it sets a quota. */
  readonly cgroupProcessors: number | null
  readonly governor: string | null
  readonly memoryBytes: number
  readonly loadAverage: readonly number[]
  /** Commit of the working tree; with `+` when something in it is not committed. */
  readonly commit: string | null
  /** Contender packages; null for one that is not installed. */
  readonly packages: Readonly<Record<string, string | null>>
}

const here = dirname(fileURLToPath(import.meta.url))

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Version of a package as this file would import it, or null. `exports` maps hide the manifest, so it is looked up. */
export function installedVersion(packageName: string, from = here): string | null {
  const text = textOf(join(from, 'node_modules', packageName, 'package.json'))
  if (text !== undefined) return (JSON.parse(text) as { version: string }).version
  const parent = dirname(from)
  return parent === from ? null : installedVersion(packageName, parent)
}

/** The folder of evenkeel's own manifest: this file is somewhere below it, built or not. */
export function packageRoot(from = here): string | undefined {
  const text = textOf(join(from, 'package.json'))
  if (text !== undefined && (JSON.parse(text) as { name?: string }).name === 'evenkeel') return from
  const parent = dirname(from)
  return parent === from ? undefined : packageRoot(parent)
}

/** Null outside a clone: an installed package may lie in somebody else's repository. */
function commitOf(root: string): string | null {
  if (!existsSync(join(root, '.git'))) return null
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD')
    return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}+`
  } catch {
    return null
  }
}

export function readEnvironment(): Environment {
  const root = packageRoot()
  const own = textOf(join(root ?? here, 'package.json'))
  const names = contenderNames.map((name) => contenderEntry(name).packageName).filter((name) => name !== undefined)
  return {
    node: process.version,
    uv: process.versions.uv,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch} ${release()}`,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    processors: cpus().length,
    parallelism: availableParallelism(),
    cgroupProcessors: cpuQuota() ?? null,
    governor: textOf('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor') ?? null,
    memoryBytes: totalmem(),
    loadAverage: loadavg(),
    commit: root === undefined ? null : commitOf(root),
    packages: {
      evenkeel: own === undefined ? null : (JSON.parse(own) as { version: string }).version,
      ...Object.fromEntries(names.map((name) => [name, installedVersion(name)])),
    },
  }
}
