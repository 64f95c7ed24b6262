/** Holds the hashes against those of a program that shares no code with us. */

import { spawnSync } from 'node:child_process'
import type { MeasuredFile } from './measured-run.js'

export interface HashCheck {
  readonly checked: number
  readonly agreeing: number
}

/** `undefined` where there is no `sha256sum`. Names that it would have to escape are left out. */
export function checkHashes(files: readonly MeasuredFile[]): HashCheck | undefined {
  const plain = files.filter(({ print }) => !/[\\\n\r]/.test(print.path))
  const list = plain.map(({ print }) => `${print.sha256}  ${print.path}\n`).join('')
  const { error, stdout } = spawnSync('sha256sum', ['--check', '-'], {
    input: list,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (error !== undefined) return undefined
  const agreeing = stdout.split('\n').filter((line) => line.endsWith(': OK')).length
  return { checked: plain.length, agreeing }
}
