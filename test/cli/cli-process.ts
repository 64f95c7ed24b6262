/** Drives the built command as a child process, in a folder of its own. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const CLI = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

export interface CliResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface CliOptions {
  input?: string | Buffer
  env?: Record<string, string>
  /** Gets the running process. */
  during?: (child: ChildProcess) => void
}

const TASKS = `
import { appendFileSync } from 'node:fs'
export const kinds = { napIo: 'io' }
export function echo(value) { return value }
export function plus({ i }) { return { i, r: i + 1 } }
export function upper(text) { return text.toUpperCase() }
export function failOdd(value) { if (value.i % 2 === 1) throw Object.assign(new RangeError('odd ' + value.i), { code: 'E_ODD' }); return value }
export async function nap({ i, ms }) { await new Promise((done) => setTimeout(done, ms)); return { i } }
export const napIo = nap
export function spin({ i, ms = 0 }) { const end = performance.now() + ms; while (performance.now() < end); return { i } }
export function exit({ i, code }) { if (code !== undefined) process.exit(code); return { i } }
export function say(value) { console.log('said', value.i); process.stdout.write('wrote\\n'); return value }
export function flaky({ i, file }) {
  appendFileSync(file, i + '\\n')
  return { i }
}
const tries = new Map()
export function thirdTime({ i }) {
  const count = (tries.get(i) ?? 0) + 1
  tries.set(i, count)
  if (count < 3) throw new Error('try ' + count)
  return { i, count }
}
export function sums(values) { return values.map(({ i }) => (i === 3 ? new TypeError('three') : { i, of: values.length })) }
export function unwritable(values) { return values.map(({ i }) => (i === 3 ? 1n : i)) }
const seen = new Set()
export function sumsLater(values) { return values.map(({ i }) => (i !== 3 || seen.has(i) ? { i } : seen.add(i) && new Error('later'))) }
export function sumsExit(values) { if (values.length > 1 && values[0].i === 4) process.exit(1); return values.map(({ i }) => i) }
export function grow() { const kept = []; for (;;) kept.push(new Array(10000).fill(kept.length)) }
export function big({ size }) { return 'x'.repeat(size) }
`

export class CliFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'evenkeel-cli-'))

  constructor() {
    this.write('tasks.mjs', TASKS)
  }

  file(name: string): string {
    return join(this.path, name)
  }

  write(name: string, content: string | Buffer): string {
    writeFileSync(this.file(name), content)
    return this.file(name)
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8')
  }

  /** The values of a file of JSON lines; every line must be whole. */
  values(name: string): unknown[] {
    const text = this.read(name)
    if (text !== '' && !text.endsWith('\n')) throw new Error(`${name} ends in a torn line`)
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown)
  }

  run(args: readonly string[], { input, env, during }: CliOptions = {}): Promise<CliResult> {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: this.path,
      env: { ...process.env, CI: '', NO_COLOR: '', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    // A run that ends before it has read everything closes its input.
    child.stdin.on('error', () => undefined)
    if (input !== undefined) child.stdin.end(input)
    else if (during === undefined) child.stdin.end()
    during?.(child)
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => {
        resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
      })
    })
  }

  map(task: string, args: readonly string[], options?: CliOptions): Promise<CliResult> {
    return this.run(['map', `./tasks.mjs#${task}`, ...args], options)
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** JSON lines `{"i":0}` to `{"i":count - 1}`, with more members when asked. */
export function numberedLines(count: number, more: (i: number) => object = () => ({})): string {
  return Array.from({ length: count }, (_, i) => `${JSON.stringify({ i, ...more(i) })}\n`).join('')
}

/** Calls back once with the URL of the live page, when the command has told it. */
export function atUrl(child: ChildProcess, then: (url: string) => void): void {
  let text = ''
  let isTold = false
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0]
    if (url === undefined || isTold) return
    isTold = true
    then(url)
  })
}

/** Gives the command records of 100 ms, two at a time, for as long as `seen` takes; then its input ends. */
export function feedUntil(child: ChildProcess, seen: Promise<unknown>): void {
  const feeding = setInterval(() => child.stdin?.write(numberedLines(2, () => ({ ms: 100 }))), 100)
  const end = (): void => {
    clearInterval(feeding)
    child.stdin?.end()
  }
  seen.then(end, end)
}
