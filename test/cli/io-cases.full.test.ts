import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliFolder, numberedLines } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
})
afterAll(() => folder.remove())

interface Case {
  name: string
  bytes: Buffer
  args?: string[]
  good: number
  bad: number
  code: number
  stderr?: RegExp
}

const members = Buffer.concat([gzipSync('{"i":0}\n{"i":1}\n'), gzipSync('{"i":2}\n{"i":3}\n')])
const text = (value: string) => Buffer.from(value)

/** Input files as people report them, with what must become of them. */
const CASES: readonly Case[] = [
  {
    name: 'a byte order mark, CRLF, blank lines, no newline at the end',
    bytes: text('\ufeff{"i":0}\r\n\r\n{"i":1}\n   \t \r\n{"i":2}'),
    good: 3,
    bad: 0,
    code: 0,
  },
  { name: 'a byte order mark alone', bytes: text('\ufeff'), good: 0, bad: 0, code: 0 },
  { name: 'nothing at all', bytes: text(''), good: 0, bad: 0, code: 0 },
  { name: 'only newlines', bytes: text('\n\r\n\n\n'), good: 0, bad: 0, code: 0 },
  {
    name: 'invalid UTF-8 and raw NULs',
    bytes: Buffer.concat([
      text('{"i":0}\n{"s":"'),
      Buffer.from([0xff, 0xfe, 0xc3, 0x28]),
      text('"}\n{"s":"\0"}\n\0\0\n{"i":4}\n'),
    ]),
    good: 2,
    bad: 3,
    code: 1,
    stderr: /line 2, byte 8.*UTF-8/,
  },
  { name: 'a replacement character that is really there', bytes: text('{"s":"\ufffd"}\n'), good: 1, bad: 0, code: 0 },
  {
    name: 'two values on one line, a comma, a bare word',
    bytes: text('{"i":0}\n{"i":1}{"i":2}\n1,2\nfoo\n[1,]\n'),
    good: 1,
    bad: 4,
    code: 1,
  },
  {
    name: 'UTF-16',
    bytes: Buffer.from('\ufeff{"i":0}\n{"i":1}\n', 'utf16le'),
    good: 0,
    bad: 1,
    code: 1,
    stderr: /UTF-16LE/,
  },
  {
    name: 'nesting too deep for JSON.stringify',
    bytes: text(`{"i":0}\n${'['.repeat(20_000)}${']'.repeat(20_000)}\n{"i":2}\n`),
    good: 2,
    bad: 1,
    code: 1,
  },
  { name: 'gzip of several members under any name', bytes: members, good: 4, bad: 0, code: 0 },
  {
    name: 'gzip with junk behind it',
    bytes: Buffer.concat([members, text('JUNK')]),
    good: 4,
    bad: 0,
    code: 4,
    stderr: /what follows the gzip data is not gzip/,
  },
  { name: 'gzip cut short', bytes: members.subarray(0, -9), good: 4, bad: 0, code: 4, stderr: /cannot read/ },
  {
    name: 'CSV with quoted newlines, mixed line ends and an open quote',
    args: ['--format', 'csv'],
    bytes: text('\ufeff"id","no\nte",x\r\n1,"a, ""b""\r\nc",\r\n2,,\n3,"unclosed\n'),
    good: 2,
    bad: 1,
    code: 1,
  },
  {
    name: 'CSV rows of the wrong length',
    args: ['--format', 'csv'],
    bytes: text('a,b\n1,2\n1\n1,2,3\n\n4,5\n'),
    good: 2,
    bad: 2,
    code: 1,
    stderr: /line 3, byte 8.*1 fields/,
  },
  {
    name: 'lines with quotes, blanks and an empty one',
    args: ['--format', 'lines'],
    bytes: text('it\'s\n"q" uote\\\n  lead\n\n$HOME `x` *\n\tTab\t\n-n\n{}\n'),
    good: 8,
    bad: 0,
    code: 0,
  },
  {
    name: 'NUL-separated records with newlines in them',
    args: ['--format', 'nul'],
    bytes: text('a\nb\0c\0'),
    good: 2,
    bad: 0,
    code: 0,
  },
  {
    name: 'UTF-16 without a mark, which no policy passes over',
    args: ['--on-bad-record', 'skip'],
    bytes: Buffer.from('{"i":0}\n', 'utf16le'),
    good: 0,
    bad: 1,
    code: 1,
    stderr: /UTF-16LE/,
  },
  {
    name: 'lines that end with CR alone, which no policy passes over',
    args: ['--on-bad-record', 'skip'],
    bytes: text('{"i":0}\r{"i":1}\r'),
    good: 0,
    bad: 1,
    code: 1,
    stderr: /carriage return alone/,
  },
  {
    name: 'CSV whose lines end with CR alone',
    args: ['--format', 'csv'],
    bytes: text('a,b\r1,2\r3,4\r'),
    good: 0,
    bad: 0,
    code: 4,
    stderr: /lines end with a carriage return alone/,
  },
  {
    name: 'CSV of a spreadsheet: sep=, columns without a name',
    args: ['--format', 'csv'],
    bytes: text('sep=;\r\na;b;;\r\n1;2;;\r\n3;4;;x\r\n'),
    good: 1,
    bad: 1,
    code: 1,
    stderr: /line 4.*column 4, which has no name/,
  },
  {
    name: 'zstd',
    args: ['--format', 'lines', '--on-bad-record', 'skip'],
    bytes: Buffer.from('28b52ffd0408290000310a320a9f3c6a2b', 'hex'),
    good: 0,
    bad: 0,
    code: 4,
    stderr: /compressed by zstd/,
  },
  {
    name: 'a line longer than allowed',
    args: ['--max-line', '1K'],
    bytes: text(`{"i":0}\n"${'x'.repeat(700_000)}"\n{"i":2}\n`),
    good: 2,
    bad: 1,
    code: 1,
    stderr: /line 2.*longer than the limit/,
  },
]

describe('input', () => {
  test.for(CASES)('$name', async ({ bytes, args = [], good, bad, code, stderr }) => {
    const input = folder.write('case.in', bytes)
    const result = await folder.map('echo', ['-k', '--in', input, ...args])
    expect(result.stderr).toContain(`ok=${good} failed=${bad} `)
    expect(result.code).toBe(code)
    if (stderr !== undefined) expect(result.stderr).toMatch(stderr)
    // From a pipe, it is the same.
    const piped = await folder.map('echo', ['-k', ...args], { input: bytes })
    expect([piped.code, piped.stdout]).toEqual([result.code, result.stdout])
  })

  test('CSV keeps quoted line ends, quotes and empty fields', async () => {
    const bytes = '\ufeff"id","no\nte",x\r\n1,"a, ""b""\r\nc",\r\n2,,\n'
    const { stdout } = await folder.map('echo', ['-k', '--format', 'csv'], { input: bytes })
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { id: '1', 'no\nte': 'a, "b"\r\nc', x: '' },
      { id: '2', 'no\nte': '', x: '' },
    ])
  })

  test('lines come out as they went in', async () => {
    const bytes = 'it\'s\n"q" uote\\\n  lead\n\n$HOME `x` *\n\tTab\t\n-n\n{}\n'
    const { stdout } = await folder.map('echo', ['-k', '--format', 'lines'], { input: bytes })
    expect(stdout).toBe(bytes)
  })

  test('lone surrogates come out as escapes, parsed and raw', async () => {
    const bytes = '{"s":"\\ud800"}\n{"s":"\\udc00\\ud800"}\n{"s":"\\ud83d\\ude00"}\n{"s":"😀"}\n'
    const parsed = await folder.map('echo', ['-k'], { input: bytes })
    const values = (output: string) =>
      output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    expect(values(parsed.stdout)).toEqual(values(bytes))
    expect(parsed.stdout).not.toContain('\ufffd')
    const raw = await folder.map('echo', ['-k', '--raw'], { input: bytes })
    expect(raw.stdout).toBe(bytes)
  })

  test('large numbers: raw keeps them, parsing warns', async () => {
    const bytes = '{"id":9007199254740993,"x":1e400}\n'
    const raw = await folder.map('echo', ['--raw'], { input: bytes })
    expect(raw.stdout).toBe(bytes)
    expect(raw.stderr).not.toContain('warning')
    const parsed = await folder.map('echo', [], { input: bytes })
    expect(parsed.stderr).toMatch(/warning: numbers.*--raw/)
    expect(parsed.stdout).not.toContain('993')
  })

  test('bad records end the run, or are passed over, on request', async () => {
    const input = folder.write('policy.in', `{bad\n${numberedLines(3)}`)
    const failing = await folder.map('echo', ['--in', input, '--on-bad-record', 'fail'])
    expect(failing.code).toBe(3)
    expect(failing.stderr).toMatch(/error: bad record in .*policy\.in, line 1, byte 0/)
    const skipping = await folder.map('echo', ['--in', input, '--on-bad-record', 'skip'])
    expect(skipping.code).toBe(0)
    expect(skipping.stderr).toContain('ok=3 failed=0 skipped=1')
  })
})
