import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliFolder, type CliResult, numberedLines } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
})
afterAll(() => folder.remove())

/** Sends the first signal once results come, each further one when the command has answered the one before. */
function signalling(signals: readonly NodeJS.Signals[]): (child: ChildProcess) => void {
  return (child) => {
    let next = 0
    const send = (): void => {
      const signal = signals[next++]
      if (signal !== undefined) child.kill(signal)
    }
    child.stdout?.once('data', send)
    child.stderr?.on('data', (text: Buffer) => {
      if (/finishing what runs|aborting what runs/.test(text.toString())) send()
    })
  }
}

/** Gives a record that ends and one that does not, asks for a report once the first is done, and aborts when it is there. */
function askThenAbort(child: ChildProcess): void {
  child.stdin?.write(numberedLines(2, (i) => ({ ms: i === 1 ? 60_000 : 10 })))
  child.stdout?.once('data', () => child.kill('SIGUSR2'))
  const answers = [/longest under way|"report"/, /finishing what runs/]
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk
    if (!answers[0]?.test(text)) return
    answers.shift()
    child.kill('SIGINT')
  })
}

function run(ms: number, signals: readonly NodeJS.Signals[], more: readonly string[] = []): Promise<CliResult> {
  const input = folder.write(
    'many.jsonl',
    numberedLines(500, (i) => ({ ms: i < 4 ? 1 : ms })),
  )
  return folder.map('nap', ['-k', '--in', input, '-j', '2', ...more], { during: signalling(signals) })
}

describe('signals', () => {
  test('the first SIGINT finishes what runs and exits with 130', async () => {
    const { code, stdout, stderr } = await run(60, ['SIGINT'])
    expect(code).toBe(130)
    expect(stdout.endsWith('\n')).toBe(true)
    const count = stdout.trim().split('\n').length
    expect(count).toBeLessThan(400)
    expect(stderr).toContain(`ok=${count} failed=0`)
    expect(stderr).not.toContain('unfinished')
  })

  test('SIGTERM exits with 143', async () => {
    const { code } = await run(60, ['SIGTERM'])
    expect(code).toBe(143)
  })

  test('the second aborts what runs; nothing of it counts as done or failed', async () => {
    const { code, stderr } = await run(30_000, ['SIGINT', 'SIGINT'])
    expect(code).toBe(130)
    expect(stderr).toMatch(/failed=0 .*unfinished=\d+/)
  })

  test('the third ends the process at once', async () => {
    const { signal } = await run(30_000, ['SIGINT', 'SIGINT', 'SIGINT'])
    // The abort may be through before the third signal arrives.
    expect([null, 'SIGINT']).toContain(signal)
  })

  test('what runs is aborted when the grace is over', async () => {
    const { code, stderr } = await run(30_000, ['SIGTERM'], ['--grace', '200ms'])
    expect(code).toBe(143)
    expect(stderr).toMatch(/unfinished=\d+/)
  })

  test('a run that waits for its input ends at the first signal', async () => {
    const result = await folder.map('echo', [], {
      during: (child) => {
        child.stdin?.write('{"i":0}\n')
        child.stdout?.once('data', () => child.kill('SIGINT'))
      },
    })
    expect(result.code).toBe(130)
    expect(result.stdout).toBe('{"i":0}\n')
  })

  test('an interrupted run with a journal says how to go on, and that works', async () => {
    const input = folder.write(
      'resume.jsonl',
      numberedLines(60, () => ({ ms: 20 })),
    )
    const args = ['--in', input, '--out', 'resume.out', '-j', '1', '--progress', 'json']
    const first = await folder.map('nap', args, {
      during: (child) => {
        let sent = false
        child.stderr?.on('data', () => {
          if (!sent) child.kill('SIGINT')
          sent = true
        })
      },
    })
    expect(first.code).toBe(130)
    const second = await folder.map('nap', [...args, '--resume'])
    expect(second.code).toBe(0)
    expect(folder.values('resume.out')).toEqual(Array.from({ length: 60 }, (_, i) => ({ i })))
  })

  test('SIGUSR2 prints how far the run is, what the workers do, and the records longest under way', async () => {
    const { code, stdout, stderr } = await folder.map('nap', ['-j', '2'], { during: askThenAbort })
    expect([code, stdout]).toEqual([130, '{"i":0}\n'])
    expect(stderr).toMatch(/^1 ok, /)
    expect(stderr).toMatch(/\n *worker +state +share +load +lag/)
    expect(stderr).toMatch(/\nlongest under way: standard input:2 \(/)
  })

  test('SIGUSR2 gives an object among progress in JSON', async () => {
    const { stderr } = await folder.map('nap', ['-j', '2', '--progress', 'json'], { during: askThenAbort })
    const events = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.filter(({ type }) => type === 'report')).toEqual([
      expect.objectContaining({
        ok: 1,
        workers: [expect.objectContaining({ slot: 0 }), expect.objectContaining({ slot: 1 })],
        slowest: [{ input: 'standard input', line: 2, ageMs: expect.any(Number) }],
      }),
    ])
  })

  test('SIGUSR2 ends no run that waits for its first record', async () => {
    const { code, stderr } = await folder.map('echo', ['--dashboard'], {
      during: (child) => {
        child.stderr?.once('data', () => {
          child.kill('SIGUSR2')
          child.stderr?.once('data', () => child.stdin?.end('{}\n'))
        })
      },
    })
    expect(code).toBe(0)
    expect(stderr).toContain('no record is under way')
  })
})
