/** The package as a user gets it: packed, and installed from the tarball into a project that has nothing else. */

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { projectRoot } from '../support/source/tree.js'
import { type Packed, plainEnv } from './packed.js'

const run = promisify(execFile)

export class InstalledPackage implements Packed {
  readonly folder: string
  readonly tarball: string
  readonly contents: readonly string[]
  readonly packedBytes: number
  readonly unpackedBytes: number

  constructor(folder: string, { tarball, contents, packedBytes, unpackedBytes }: Packed) {
    this.folder = folder
    this.tarball = tarball
    this.contents = contents
    this.packedBytes = packedBytes
    this.unpackedBytes = unpackedBytes
  }

  /** Installs what was packed for this run; takes seconds, and asks the package registry for the dependencies. */
  static async create(): Promise<InstalledPackage> {
    const installed = new InstalledPackage(mkdtempSync(join(tmpdir(), 'evenkeel-package-')), inject('packed'))
    installed.write('package.json', '{ "private": true }')
    await installed.run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', installed.tarball])
    return installed
  }

  /** Runs a command, in the project unless told otherwise; rejects with its output when it fails. */
  async run(command: string, args: readonly string[], cwd = this.folder): Promise<string> {
    const { stdout } = await run(command, args, { cwd, env: plainEnv, timeout: 60_000 })
    return stdout
  }

  /** Makes a tool of this project's one of the user's too. */
  link(name: string): void {
    symlinkSync(join(projectRoot, 'node_modules', name), join(this.folder, 'node_modules', name))
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
