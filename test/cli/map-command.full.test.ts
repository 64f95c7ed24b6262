import { existsSync, readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliFolder, numberedLines } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
})
afterAll(() => folder.remove())

describe('evenkeel map', () => {
  test('reads standard input, writes standard output, and sums up on standard error', async () => {
    const { code, stdout, stderr } = await folder.map('plus', ['-k'], { input: numberedLines(3) })
    expect(stdout).toBe('{"i":0,"r":1}\n{"i":1,"r":2}\n{"i":2,"r":3}\n')
    expect(stderr).toMatch(/^ok=3 failed=0 skipped=0 retried=0 in \S+ \(\S+\/s\)\n$/)
    expect(code).toBe(0)
  })

  test('keeps the order of the input in a file by default', async () => {
    const input = folder.write(
      'order.jsonl',
      numberedLines(200, (i) => ({ ms: i % 7 })),
    )
    const { code } = await folder.map('napIo', ['--in', input, '--out', 'order.out', '--concurrency', '8'])
    expect(code).toBe(0)
    expect(folder.values('order.out')).toEqual(Array.from({ length: 200 }, (_, i) => ({ i })))
  })

  test('lets no record wait for one that blocks, without order', async () => {
    const input = folder.write(
      'block.jsonl',
      numberedLines(60, (i) => (i === 3 ? { ms: 1500 } : {})),
    )
    const { code } = await folder.map('spin', ['--in', input, '--out', 'block.out', '--no-keep-order', '-j', '2'])
    expect(code).toBe(0)
    const order = (folder.values('block.out') as { i: number }[]).map(({ i }) => i)
    expect(order.at(-1)).toBe(3)
    expect(order).toHaveLength(60)
  })

  test('counts failures, shows where they were, and exits with 1', async () => {
    const { code, stdout, stderr } = await folder.map('failOdd', ['-k', '--errors', 'odd.errors'], {
      input: numberedLines(4),
    })
    expect(code).toBe(1)
    expect(stdout).toBe('{"i":0}\n{"i":2}\n')
    expect(stderr).toContain('ok=2 failed=2')
    expect(folder.values('odd.errors')).toEqual([
      {
        id: 2,
        file: 'standard input',
        line: 2,
        offset: 8,
        attempts: 1,
        error: { name: 'RangeError', message: 'odd 1', code: 'E_ODD', stack: expect.stringContaining('tasks.mjs:') },
        record: '{"i":1}',
      },
      expect.objectContaining({ line: 4, offset: 24, record: '{"i":3}' }),
    ])
  })

  test('says so on standard error when no errors file takes the failures, and exits with 0 on request', async () => {
    const { code, stderr } = await folder.map('failOdd', ['--exit-zero'], { input: numberedLines(2) })
    expect(code).toBe(0)
    expect(stderr).toContain('failed: standard input, line 2, byte 8: RangeError: odd 1')
  })

  test('wraps results in envelopes, failed ones too', async () => {
    const { stdout } = await folder.map('failOdd', ['-k', '--envelope'], { input: numberedLines(2) })
    const [first, second] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(first).toEqual({ id: 1, ok: true, value: { i: 0 }, attempt: 1, ms: expect.any(Number) })
    expect(second).toEqual({
      id: 2,
      ok: false,
      error: { name: 'RangeError', message: 'odd 1', code: 'E_ODD', stack: expect.stringContaining('tasks.mjs:') },
      attempt: 1,
    })
  })

  test('a batch with a result that cannot be written loses that one, and what is tried again comes as an array', async () => {
    const lost = await folder.map('unwritable', ['-k', '--batch', '4', '-j', '1'], { input: numberedLines(6) })
    expect([lost.code, lost.stdout]).toEqual([1, '0\n1\n2\n4\n5\n'])
    const flags = ['-k', '--batch', '4', '-j', '1', '--retries', '1', '--retry-delay', '1ms']
    const again = await folder.map('sumsLater', flags, { input: numberedLines(6) })
    expect([again.code, again.stdout]).toEqual([0, numberedLines(6)])
    const ended = await folder.map('sumsExit', flags, { input: numberedLines(10) })
    expect([ended.code, ended.stdout]).toEqual([0, Array.from({ length: 10 }, (_, i) => `${i}\n`).join('')])
  })

  test('hands over groups and takes back as many results, each with its own failure', async () => {
    const { code, stdout, stderr } = await folder.map('sums', ['-k', '--batch', '4'], { input: numberedLines(6) })
    expect(code).toBe(1)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { i: 0, of: 4 },
      { i: 1, of: 4 },
      { i: 2, of: 4 },
      { i: 4, of: 2 },
      { i: 5, of: 2 },
    ])
    expect(stderr).toContain('TypeError: three')
  })

  test('keeps what a task prints away from standard output', async () => {
    const { stdout, stderr } = await folder.map('say', ['-k'], { input: numberedLines(2) })
    expect(stdout).toBe('{"i":0}\n{"i":1}\n')
    expect(stderr).toContain('said 1')
    expect(stderr).toContain('wrote')
  })

  test('tries again as often as asked', async () => {
    const args = ['-k', '-j', '1', '--retries', '2', '--retry-delay', '5ms']
    const { code, stdout, stderr } = await folder.map('thirdTime', args, { input: numberedLines(2) })
    expect(code).toBe(0)
    expect(stdout).toBe('{"i":0,"count":3}\n{"i":1,"count":3}\n')
    expect(stderr).toContain('retried=4')
  })

  test('ends a record at its time limit and goes on with a new thread', async () => {
    const input = numberedLines(6, (i) => (i === 1 ? { ms: 60_000 } : {}))
    const { code, stdout, stderr } = await folder.map('spin', ['--timeout', '1500ms', '-j', '1'], { input })
    expect(code).toBe(1)
    expect(stdout.trim().split('\n')).toHaveLength(5)
    expect(stderr).toMatch(/line 2, byte \d+: TimeoutError/)
  })

  test('takes the median as the measure of a time limit in percent', async () => {
    const input = numberedLines(40, (i) => ({ ms: i === 35 ? 60_000 : 5 }))
    const { code, stderr } = await folder.map('spin', ['--timeout', '20000%', '-j', '1'], { input })
    expect(code).toBe(1)
    expect(stderr).toContain('ok=39 failed=1')
  })

  test('loses only the record whose worker ends', async () => {
    const input = numberedLines(30, (i) => (i === 4 ? { code: 3 } : {}))
    const { code, stdout, stderr } = await folder.map('exit', ['-j', '1'], { input })
    expect(code).toBe(1)
    expect(stdout.trim().split('\n')).toHaveLength(29)
    expect(stderr).toContain('ok=29 failed=1')
  })

  test('stops by the halt rule with 3, by a count of errors too', async () => {
    const input = folder.write('halt.jsonl', numberedLines(5000))
    const halted = await folder.map('failOdd', ['--in', input, '--halt', 'soon,fail=3'])
    expect(halted.code).toBe(3)
    expect(halted.stderr).toContain('halted by soon,fail=3')
    const limited = await folder.map('failOdd', ['--in', input, '--max-errors', '2'])
    expect(limited.code).toBe(3)
    // One thread takes them in turn: among the first ten of several threads more than that may happen to fail.
    const allowed = await folder.map('failOdd', ['--in', input, '--max-errors', '60%', '-j', '1'])
    expect(allowed.code).toBe(1)
    // Three of the first four fail, which is no share yet.
    const early = folder.write(
      'early.jsonl',
      '{"i":1}\n{"i":1}\n{"i":1}\n'.concat(numberedLines(300, () => ({ i: 2 }))),
    )
    const begun = await folder.map('failOdd', ['--in', early, '--max-errors', '60%', '-j', '1'])
    expect([begun.code, begun.stderr]).toEqual([1, expect.stringContaining('ok=300 failed=3')])
  })

  test('skips, limits and samples', async () => {
    const input = folder.write('some.jsonl', numberedLines(1000))
    const cut = await folder.map('echo', ['-k', '--in', input, '--skip', '10', '--limit', '3'])
    expect(cut.stdout).toBe('{"i":10}\n{"i":11}\n{"i":12}\n')
    const drawn = await folder.map('echo', ['-k', '--in', input, '--sample', '20'])
    expect(drawn.stdout.trim().split('\n')).toHaveLength(20)
    const again = await folder.map('echo', ['-k', '--in', input, '--sample', '20'])
    expect(again.stdout).toBe(drawn.stdout)
    const other = await folder.map('echo', ['-k', '--in', input, '--sample', '20', '--seed', '2'])
    expect(other.stdout).not.toBe(drawn.stdout)
  })

  test('keeps to a rate', async () => {
    const started = performance.now()
    await folder.map('echo', ['--rate', '20/s'], { input: numberedLines(20) })
    expect(performance.now() - started).toBeGreaterThan(700)
  })

  test('looks but does not touch in a dry run', async () => {
    const input = folder.write('dry.jsonl', '{"i":0}\n{bad\n')
    const { code, stdout, stderr } = await folder.map('echo', ['--in', input, '--out', 'dry.out', '--dry-run'])
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('2 records')
    expect(stderr).toContain('line 2, byte 8')
    expect(existsSync(folder.file('dry.out'))).toBe(false)
    expect(existsSync(folder.file('dry.out.journal'))).toBe(false)
  })

  test('reads several files and patterns in the order given', async () => {
    folder.write('part-b.txt', 'b\n')
    folder.write('part-a.txt', 'a')
    folder.write('zero.txt', 'z\n')
    const args = ['-k', '--format', 'lines', '--in', 'zero.txt', '--in', 'part-*.txt']
    const { stdout } = await folder.map('upper', args)
    expect(stdout).toBe('Z\nA\nB\n')
  })
})

describe('a module that cannot be used', () => {
  test('ends the command with 2 and leaves no file when it throws at import or ends its thread', async () => {
    folder.write('broken.mjs', 'throw new Error("not today", { cause: new TypeError("too late") })')
    folder.write('ends.mjs', 'process.exit(0)')
    folder.write(
      'early.mjs',
      'export const setup = () => { throw new Error("not ready") }; export default (value) => value',
    )
    const input = folder.write('three', numberedLines(3))
    const args = ['--in', input, '--out', 'none.out', '--errors', 'none.errors']
    const broken = await folder.run(['map', './broken.mjs', ...args])
    expect(broken.code).toBe(2)
    expect(broken.stderr).toMatch(
      /^error: .*cannot be loaded: not today\n {4}at \S*broken.mjs:1:7\n {2}caused by: TypeError: too late\n/,
    )
    const ended = await folder.run(['map', './ends.mjs', ...args])
    const early = await folder.run(['map', './early.mjs', ...args])
    expect([ended.code, early.code, early.stderr]).toEqual([2, 2, expect.stringContaining('not ready')])
    expect(readdirSync(folder.path).filter((name) => name.startsWith('none'))).toEqual([])
  })

  test('is told in one line which task was meant, before anything is written or overwritten', async () => {
    const input = folder.write('three', numberedLines(3))
    folder.write('kept', 'kept')
    const args = ['--in', input, '--out', 'none.out', '--errors', 'kept']
    const { code, stderr } = await folder.map('failOd', args)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: [^\n]* has no task 'failOd'; did you mean 'failOdd'\?\n$/)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('none'))).toEqual([])
    expect(folder.read('kept')).toBe('kept')
  })

  test('is read as the dispatcher reads it: transpiled CommonJS, functions with setup, kinds on a function', async () => {
    folder.write('transpiled.cjs', 'exports.__esModule = true; exports.default = ({ i }) => i * 2')
    folder.write(
      'function.cjs',
      'let ready = 0; module.exports = ({ i }) => i + ready; module.exports.setup = () => { ready = 100 }',
    )
    folder.write('kinds.cjs', 'module.exports = async ({ i }) => i; module.exports.kinds = { default: "io" }')
    folder.write('object.mjs', 'export default { twice: ({ i }) => i * 2, once: ({ i }) => i }')
    for (const [module, printed] of [
      ['./transpiled.cjs', '0\n2\n'],
      ['./function.cjs', '100\n101\n'],
      ['./kinds.cjs', '0\n1\n'],
      ['./object.mjs#twice', '0\n2\n'],
    ] as const) {
      const { code, stdout } = await folder.run(['map', module, '-k'], { input: numberedLines(2) })
      expect([module, code, stdout]).toEqual([module, 0, printed])
    }
  })

  test('is named when it is missing, or has no such task', async () => {
    const missing = await folder.run(['map', './nowhere.mjs'], { input: '' })
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('nowhere.mjs')
    const task = await folder.map('constructor', [], { input: '{}\n' })
    expect(task.code).toBe(2)
    expect(task.stderr).toMatch(
      /^error: the module cannot be loaded: file:\S+tasks\.mjs has no task 'constructor'; its tasks are/,
    )
  })

  test('is told which of its kinds is misspelt', async () => {
    folder.write('kinds.mjs', `export const fetchPage = (value) => value, kinds = { fetchPgae: 'io' }`)
    const { code, stderr } = await folder.run(['map', './kinds.mjs'], { input: '{}\n' })
    expect(code).toBe(2)
    expect(stderr).toContain("kinds.fetchPgae: the module exports no task 'fetchPgae'; did you mean 'fetchPage'?")
  })

  test('is refused when the task yields instead of returning', async () => {
    folder.write('yields.mjs', 'export async function* parts(value) { yield value }')
    const { code, stdout, stderr } = await folder.run(['map', './yields.mjs'], { input: '{}\n' })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/task 'parts' of \S+ is a generator/)
  })

  test('needs no task name when it has one function', async () => {
    folder.write('single.cjs', 'exports.only = (value) => value.i')
    const { code, stdout } = await folder.run(['map', './single.cjs', '-k'], { input: numberedLines(2) })
    expect(code).toBe(0)
    expect(stdout).toBe('0\n1\n')
  })
})

describe('exit codes', () => {
  test('2 for wrong arguments, with the reason', async () => {
    for (const [args, reason] of [
      [['--threads', 'x'], 'whole number'],
      [['--halt', 'now'], 'never'],
      [['--strategy', 'best'], 'range-table'],
      [['--format', 'xml'], 'jsonl'],
      [['--key', 'id'], 'JSON pointer'],
      [['--nonsense'], 'nonsense'],
      [['--retires', '1'], 'Did you mean --retries?'],
      [['--threads', '5000'], '--threads: '],
      [['--max-line', '0'], '--max-line: '],
      [['--sample', '150%'], '--sample: '],
      [['--concurrency', '0'], 'at least 1'],
      [['extra'], 'too many arguments'],
      [['--in', 'same.jsonl', '--out', 'same.jsonl', '--force'], 'named twice'],
    ] as const) {
      folder.write('same.jsonl', '{}\n')
      const { code, stderr } = await folder.map('echo', args, { input: '' })
      expect([args, code]).toEqual([args, 2])
      expect(stderr).toContain(reason)
    }
    expect(folder.read('same.jsonl')).toBe('{}\n')
  })

  test('of wrong files: one line says what is wrong, and nothing that is there is lost', async () => {
    folder.write('kept.out', 'kept')
    folder.write('kept.in', '{"i":0}\n')
    folder.write('notes.txt', 'notes')
    const files = ['--in', 'kept.in', '--out', 'kept.out', '--force']
    for (const [expected, args, reason] of [
      [4, ['--in', 'gone.jsonl', '--out', 'kept.out', '--force'], 'gone.jsonl'],
      [4, ['--in', '.', '--out', 'kept.out', '--force'], 'it is a directory'],
      [4, ['--in', '*.none', '--out', 'kept.out', '--force'], 'no file matches'],
      [5, ['--in', 'kept.in', '--out', 'gone/new.out'], 'cannot write gone/new.out: ENOENT'],
      [5, ['--in', 'kept.in', '--out', '.'], 'it is a directory'],
      [5, [...files, '--errors', 'gone/errors'], 'cannot write gone/errors'],
      [5, [...files, '--journal', 'gone/journal'], 'cannot lock the journal'],
      [2, [...files, '--errors', 'kept.in'], 'named twice'],
      [2, [...files, '--journal', 'kept.in'], 'named twice'],
      [2, ['--in', 'kept.in', '--out', 'new.out', '--journal', 'notes.txt'], 'is no journal'],
      [2, ['--in', 'kept.in', '--journal', 'new.journal'], '--out FILE'],
      [2, ['--in', 'kept.in', '--resume'], '--out FILE'],
      [2, ['--in', 'kept.in', '--out', 'kept.out'], '--force overwrites it'],
    ] as const) {
      const { code, stdout, stderr } = await folder.map('echo', args)
      expect({ args, code, stdout, lines: stderr.trim().split('\n') }).toEqual({
        args,
        code: expected,
        stdout: '',
        lines: [expect.stringContaining(reason)],
      })
      expect(stderr).toMatch(/^error: /)
    }
    const kept = ['kept.out', 'kept.in', 'notes.txt'].map((name) => folder.read(name))
    expect(kept).toEqual(['kept', '{"i":0}\n', 'notes'])
    for (const name of ['new.out', 'new.journal']) expect(existsSync(folder.file(name))).toBe(false)
  })

  test('4 for an input that cannot be read', async () => {
    const { code, stderr } = await folder.map('echo', ['--in', 'nothing.jsonl'])
    expect(code).toBe(4)
    expect(stderr).toContain('nothing.jsonl')
  })

  test('5 for a full disk', async () => {
    const { code, stderr } = await folder.map('echo', ['--out', '/dev/full'], { input: numberedLines(10) })
    expect(code).toBe(5)
    expect(stderr).toContain('ENOSPC')
  })
})
