import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLI, CliFolder, numberedLines } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
})
afterAll(() => folder.remove())

function shell(command: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('bash', ['-c', command], {
    cwd: folder.path,
    env: { ...process.env, EVENKEEL: `${process.execPath} ${CLI}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

describe('standard output', () => {
  test('is never cut, however slowly it is read', async () => {
    folder.write(
      'wide.jsonl',
      numberedLines(50_000, () => ({ text: 'x'.repeat(90) })),
    )
    const { stdout } = await shell('$EVENKEEL map ./tasks.mjs#echo -k --in wide.jsonl | (sleep 1; wc -c)')
    expect(Number(stdout)).toBe(readFileSync(folder.file('wide.jsonl')).length)
  })

  test('that nobody reads any more ends the run quietly', async () => {
    folder.write('long.jsonl', numberedLines(100_000))
    const { stdout, stderr } = await shell(
      'set -o pipefail; $EVENKEEL map ./tasks.mjs#echo -k --in long.jsonl | head -1; echo codes $?',
    )
    expect(stdout).toBe('{"i":0}\ncodes 141\n')
    expect(stderr).toBe('')
  })

  test('into a file keeps the order and appends where the shell stands', async () => {
    folder.write(
      'shell.jsonl',
      numberedLines(300, (i) => ({ ms: i % 5 })),
    )
    const command = '(echo first; $EVENKEEL map ./tasks.mjs#napIo --in shell.jsonl; echo last) > shell.out'
    await shell(command)
    const lines = folder.read('shell.out').trim().split('\n')
    expect(lines).toEqual(['first', ...Array.from({ length: 300 }, (_, i) => `{"i":${i}}`), 'last'])
  })

  test('holds the run back while it is not read', async () => {
    const input = folder.write(
      'held.jsonl',
      numberedLines(300_000, () => ({ text: 'y'.repeat(100) })),
    )
    const fd = openSync(input, 'r')
    const child = spawn(process.execPath, [CLI, 'map', './tasks.mjs#echo', '--progress', 'json'], {
      cwd: folder.path,
      stdio: [fd, 'pipe', 'pipe'],
    })
    closeSync(fd)
    let bytes = 0
    let progress: { ok: number }[] = []
    let rest = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      rest += chunk
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      progress = [...progress, ...lines.map((line) => JSON.parse(line))]
      // Two pictures of a run that nobody reads from: it must stand still far from its end.
      if (progress.length === 3) {
        child.stdout?.on('data', (data: Buffer) => {
          bytes += data.length
        })
      }
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect(code).toBe(0)
    expect(bytes).toBe(readFileSync(input).length)
    expect(progress[2]!.ok).toBeLessThan(200_000)
  })
})
