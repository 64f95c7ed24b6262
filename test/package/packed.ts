/** The tarball, made once for all files of a run: two builds at a time would get in each other's way. */

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { projectRoot } from '../support/source/tree.js'

const run = promisify(execFile)

/** A child must not think that it runs below npm or a test runner: both leave settings in the environment. */
export const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_(?:package|lifecycle)_|VITEST|NODE_ENV$|NODE_V8_COVERAGE$)/.test(name),
  ),
)

export interface Packed {
  readonly tarball: string
  /** Paths inside the tarball. */
  readonly contents: readonly string[]
  readonly packedBytes: number
  readonly unpackedBytes: number
}

declare module 'vitest' {
  interface ProvidedContext {
    packed: Packed
  }
}

/** What `npm pack` says of a tarball. */
interface Report {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** Builds and packs; takes seconds. */
async function pack(folder: string): Promise<Packed> {
  const packing = ['pack', '--json', '--silent', '--pack-destination', folder]
  const { stdout } = await run('npm', packing, { cwd: projectRoot, env: plainEnv, maxBuffer: 1 << 26 })
  // What the build prints comes before the report.
  const [report] = JSON.parse(stdout.slice(stdout.search(/^\[$/m))) as [Report]
  return {
    tarball: join(folder, report.filename),
    contents: report.files.map(({ path }) => path),
    packedBytes: report.size,
    unpackedBytes: report.unpackedSize,
  }
}

/** What vitest calls before the first file of a run, and what it has to call after the last one. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-packed-'))
  provide('packed', await pack(folder))
  return () => rmSync(folder, { recursive: true, force: true })
}
