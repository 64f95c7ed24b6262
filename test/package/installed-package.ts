/** The package as a user gets it: packed, and installed from the tarball into a project that has nothing else. */

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../support/source/tree.js'

const run = promisify(execFile)

/** A child must not think that it runs below npm or a test runner: both leave settings in the environment. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_(?:package|lifecycle)_|VITEST|NODE_ENV$|NODE_V8_COVERAGE$)/.test(name),
  ),
)

export class InstalledPackage {
  readonly folder: string
  readonly tarball: string
  /** Paths inside the tarball. */
  readonly contents: readonly string[]

  constructor(folder: string, tarball: string, contents: readonly string[]) {
    this.folder = folder
    this.tarball = tarball
    this.contents = contents
  }

  /** Builds, packs and installs; takes seconds, and asks the package registry for the dependencies. */
  static async create(): Promise<InstalledPackage> {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-package-'))
    const packing = ['pack', '--json', '--silent', '--pack-destination', folder]
    const { stdout } = await run('npm', packing, { cwd: projectRoot, env, maxBuffer: 1 << 26 })
    // What the build prints comes before the report.
    const [report] = JSON.parse(stdout.slice(stdout.search(/^\[$/m))) as [
      { filename: string; files: { path: string }[] },
    ]
    const tarball = join(folder, report.filename)
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder, env })
    return new InstalledPackage(
      folder,
      tarball,
      report.files.map(({ path }) => path),
    )
  }

  /** Runs a command in the project; rejects with its output when it fails. */
  async run(command: string, args: readonly string[]): Promise<string> {
    const { stdout } = await run(command, args, { cwd: this.folder, env, timeout: 60_000 })
    return stdout
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
