import { type IPty, spawn } from '@lydell/node-pty'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLI, CliFolder, numberedLines } from './cli-process.js'

const ESCAPE = '\u001b'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
  folder.write(
    'slow.jsonl',
    numberedLines(60, () => ({ ms: 40 })),
  )
})
afterAll(() => folder.remove())

interface Seen {
  code: number
  output: string
}

/** Runs the command in a pseudo-terminal; both streams are the terminal unless the output goes to a file. */
function inTerminal(
  args: readonly string[],
  {
    columns = 80,
    env = {},
    before = 'true',
    during,
  }: { columns?: number; env?: Record<string, string>; before?: string; during?: (pty: IPty) => void } = {},
): Promise<Seen> {
  const { CI: _ci, NO_COLOR: _noColor, ...rest } = process.env as Record<string, string>
  const command = [process.execPath, CLI, 'map', './tasks.mjs#nap', '--in', 'slow.jsonl', '-j', '2', ...args]
  const pty = spawn('sh', ['-c', `${before}; exec "$@"`, 'sh', ...command], {
    cols: columns,
    rows: 24,
    cwd: folder.path,
    env: { ...rest, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
  })
  let output = ''
  pty.onData((data) => {
    output += data
  })
  during?.(pty)
  return new Promise((resolve) => pty.onExit(({ exitCode }) => resolve({ code: exitCode, output })))
}

/** What the terminal showed on the line of the bar, picture by picture. */
function pictures(output: string): string[] {
  return output
    .replaceAll(`\r${ESCAPE}[K`, '\n')
    .split(/\r?\n/)
    .filter((text) => text !== '')
}

describe('in a terminal', () => {
  test('a bar grows to the end, never wider than the terminal, and is gone afterwards', async () => {
    const { code, output } = await inTerminal(['--out', 'bar.out', '--force'], { columns: 60 })
    expect(code).toBe(0)
    const shown = pictures(output)
    const bars = shown.filter((text) => /[█░]/.test(text))
    expect(bars.length).toBeGreaterThan(3)
    for (const text of bars) expect(text.length).toBeLessThan(60)
    const shares = bars.map((text) => Number(/(\d+)%/.exec(text)?.[1]))
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shown.at(-1)).toMatch(/^ok=60 /)
    expect(bars.some((text) => text.includes('ETA'))).toBe(true)
  })

  test('the cursor is never left hidden', async () => {
    for (const during of [undefined, (pty: IPty) => pty.onData(() => pty.kill('SIGINT'))]) {
      const { output } = await inTerminal(['--out', 'cursor.out', '--force'], during === undefined ? {} : { during })
      const hidden = output.split(`${ESCAPE}[?25l`).length
      expect(output.split(`${ESCAPE}[?25h`).length).toBe(hidden)
    }
  })

  test.for([0, 1, 20])('%i columns are enough', async (columns) => {
    const { code, output } = await inTerminal(['--out', 'narrow.out', '--force'], {
      columns: Math.max(columns, 1),
      env: { COLUMNS: String(columns) },
    })
    expect(code).toBe(0)
    expect(output).toContain('ok=60')
    expect(output).not.toContain('RangeError')
  })

  test('may change its width in flight', async () => {
    const { code, output } = await inTerminal(['--out', 'resize.out', '--force'], {
      columns: 100,
      during: (pty) => {
        let count = 0
        pty.onData(() => {
          count++
          if (count === 2) pty.resize(30, 24)
          if (count === 5) pty.resize(2, 24)
          if (count === 8) pty.resize(120, 24)
        })
      },
    })
    expect(code).toBe(0)
    expect(output).toContain('ok=60')
  })

  test('no bar is drawn under CI, NO_COLOR or a dumb terminal', async () => {
    for (const [name, value] of [
      ['CI', 'true'],
      ['NO_COLOR', '1'],
      ['TERM', 'dumb'],
    ] as const) {
      const env = { [name]: value }
      const { code, output } = await inTerminal(['--out', 'plain.out', '--force'], { env })
      expect(code).toBe(0)
      expect(output).not.toMatch(/[█░]/)
      expect(output).not.toContain(ESCAPE)
    }
  })

  test('a bar can be asked for all the same, without block characters where the locale has none', async () => {
    const { output } = await inTerminal(['--out', 'ascii.out', '--force', '--progress', 'bar'], {
      env: { NO_COLOR: '1', LANG: 'C', LC_ALL: 'C' },
    })
    expect(output).toMatch(/#+-+ +\d+%/)
  })

  test('results on the terminal are not mixed with a bar', async () => {
    const { output } = await inTerminal(['-k'])
    expect(output).not.toMatch(/[█░]/)
    expect(output).not.toContain(ESCAPE)
    expect(output).toContain('{"i":59}')
  })

  test('SIGUSR2 prints a report where the bar was', async () => {
    let sent = false
    const { code, output } = await inTerminal(['--out', 'report.out', '--force'], {
      columns: 120,
      during: (pty) => {
        pty.onData((data) => {
          if (sent || !/%/.test(data)) return
          sent = true
          process.kill(pty.pid, 'SIGUSR2')
        })
      },
    })
    expect(code).toBe(0)
    const shown = pictures(output)
    const at = shown.findIndex((text) => text.startsWith('worker '))
    expect(shown[at - 1]).toMatch(/^\d+%, \d+ ok/)
    expect(shown[at + 3]).toMatch(/^waiting for a worker: /)
    expect(shown[at + 4]).toMatch(/^(?:longest under way: slow\.jsonl:\d+ \(|no record is under way)/)
    expect(shown.at(-1)).toMatch(/^ok=60 /)
  })

  test('Ctrl-C finishes what runs', async () => {
    let sent = false
    const { code, output } = await inTerminal(['--out', 'interrupt.out', '--force'], {
      during: (pty) => {
        pty.onData((data) => {
          if (!sent && /%/.test(data)) {
            sent = true
            pty.write('\u0003')
          }
        })
      },
    })
    expect(code).toBe(130)
    expect(output).toContain('finishing what runs')
    expect(output).toMatch(/ok=\d+ failed=0/)
  })
})

describe('in a terminal that says it has no columns', () => {
  test('there is a bar, and it comes to the end of a limit', async () => {
    const args = ['--out', 'limit.out', '--force', '--limit', '30']
    const { code, output } = await inTerminal(args, { before: 'stty cols 0 rows 0' })
    expect(code).toBe(0)
    const shares = pictures(output).flatMap((text) => /[█░]+ {2}(\d+)%/.exec(text)?.[1] ?? [])
    // By bytes it would come to one half.
    expect(Number(shares.at(-1))).toBeGreaterThan(60)
  })
})

describe('without a terminal', () => {
  test('progress comes as JSON on request, one object a line, the summary last', async () => {
    const { code, stderr } = await folder.map('nap', ['--in', 'slow.jsonl', '-j', '1', '--progress', 'json'])
    expect(code).toBe(0)
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.at(-1)).toMatchObject({ type: 'summary', ok: 60, failed: 0, stopped: null })
    expect(lines[0]).toMatchObject({ type: 'progress', totalBytes: expect.any(Number) })
  })

  test('nothing but the summary is written for a short run', async () => {
    const { stderr } = await folder.map('echo', ['--in', 'slow.jsonl'])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
