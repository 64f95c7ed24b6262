/** Real pipes, FIFOs and devices around the built command, put there by a shell. */

import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CLI, CliFolder } from './cli-process.js'

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
  folder.write('numbers', Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join(''))
})
afterAll(() => folder.remove())

const MAP = `"${process.execPath}" "${CLI}" map ./tasks.mjs#echo`

/**
 * Runs a script of bash in the folder. `map` is the command with a task that returns its record; `stoppable` is the same
 * for the background, where `$!` is then the command itself.
 */
function shell(script: string): Promise<Ended> {
  const child = spawn('bash', ['-c', `map() { ${MAP} "$@"; }\nstoppable() { exec ${MAP} "$@"; }\n${script}`], {
    cwd: folder.path,
    env: { ...process.env, CI: '', NO_COLOR: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  // A group of its own, so that nothing of it outlives a test that fails.
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // All of it has ended.
    }
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

describe('inputs', { timeout: 60_000 }, () => {
  test('of a process are read to their end, by any name', async () => {
    for (const script of [
      'map --in <(seq 1 100000) -k --format lines | cmp - numbers && echo same',
      'seq 1 100000 | map --in /dev/stdin -k --format lines | cmp - numbers && echo same',
      'map --in /dev/stdin -k --format lines < numbers | cmp - numbers && echo same',
      'mkfifo p; ln -s p link; (seq 1 100000 > p) & map --in link -k | cmp - numbers && echo same',
    ]) {
      expect((await shell(script)).stdout).toBe('same\n')
    }
  })

  test('are opened when their turn comes, so one writer may fill two pipes one after the other', async () => {
    const { stdout } = await shell(
      'mkfifo a b; (seq 1 3 > a; seq 4 6 > b) & map --in a --in b --in <(seq 7 8) --in <(true) --in <(echo 9) -k',
    )
    expect(stdout.replaceAll('\n', '')).toBe('123456789')
  })

  test('that are not there are told before one is opened', async () => {
    const { code, stderr } = await shell(
      'mkfifo unwritten; map --in unwritten --in nowhere --out new; c=$?; ls new; exit $c',
    )
    expect(code).toBe(4)
    expect(stderr).toContain('cannot read nowhere')
    expect(stderr).toContain("'new'")
  })

  test('that nobody writes end with a signal', async () => {
    const { code } = await shell(
      'mkfifo never; stoppable --in <(cat numbers; touch f1) --in never --out /dev/null & until [ -e f1 ]; do sleep 0.1; done; kill -TERM $!; wait $!',
    )
    expect(code).toBe(143)
  })

  test('of the wrong kind are named', async () => {
    const server = createServer().listen(folder.file('socket'))
    onTestFinished(() => void server.close())
    expect((await shell('map --in socket')).stderr).toContain('cannot read socket: it is a socket')
    expect((await shell('map --in .')).code).toBe(4)
    expect(await shell('map --in /dev/null --in <(echo 1)')).toMatchObject({ code: 0, stdout: '1\n' })
    expect((await shell('map <&-')).code).toBe(0)
  })
})

describe('outputs', { timeout: 60_000 }, () => {
  test('into a FIFO wait for its reader, who gets everything', async () => {
    const { stdout } = await shell(
      'mkfifo out; (seq 1 100000 | map -k --out out) & sleep 1; cmp out numbers && echo same',
    )
    expect(stdout).toBe('same\n')
  })

  test('into two FIFOs are read one after the other', async () => {
    const script = `mkfifo o e; (printf '1\\n{\\n2\\n' | map -k --out o --errors e) & cat o; echo; cat e; wait $!`
    const { code, stdout } = await shell(script)
    expect(stdout).toMatch(/^1\n2\n\n\{"id":2,.*\n$/)
    expect(code).toBe(1)
  })

  test.each([
    ['a reader of the output that leaves', '--in numbers --out >(head -3 > /dev/null)'],
    ['one that was never there', '--in numbers --out >(true)'],
    ['one of the failed records', `--in <(yes '{' | head -50000) --errors >(head -1 > /dev/null)`],
  ])('end the run with 141 for %s', async (_, args) => {
    const { code, stderr } = await shell(`map ${args} > /dev/null`)
    expect([code, stderr]).toEqual([141, ''])
  })

  test.each(['--in - --out fed --force < fed', '--in fed >> fed', '--in - >> fed < fed'])(
    'an input is not written to: %s',
    async (args) => {
      const { code, stdout } = await shell(`seq 1 5 > fed; map ${args}; code=$?; cat fed; exit $code`)
      expect([code, stdout]).toEqual([2, '1\n2\n3\n4\n5\n'])
    },
  )

  test('that nobody reads end with a signal, and say what is lost', async () => {
    const never = await shell(
      'mkfifo unread; stoppable --in <(cat numbers; touch f2) --out unread & until [ -e f2 ]; do sleep 0.1; done; kill -TERM $!; wait $!',
    )
    expect(never.code).toBe(143)
    expect(never.stderr.split('results are missing: cannot write unread: nobody reads it')).toHaveLength(2)
    const asleep = await shell(
      'stoppable --in <(cat numbers; touch f3) --out >(sleep 20 > /dev/null 2>&1) & until [ -e f3 ]; do sleep 0.1; done; kill -TERM $!; sleep 0.3; kill -TERM $!; wait $!',
    )
    expect(asleep.code).toBe(143)
    expect(asleep.stderr).toContain('results are missing')
  })

  test('on devices are written, and a full one is told', async () => {
    expect((await shell('map --in numbers --out /dev/null')).code).toBe(0)
    const full = await shell('map --in numbers --out /dev/full')
    expect([full.code, full.stderr]).toEqual([5, expect.stringContaining('ENOSPC')])
    expect((await shell('map --in <(seq 1 2) -k --out /dev/stdout | cat')).stdout).toBe('1\n2\n')
    expect((await shell('map --in <(echo {) --errors /dev/stderr')).stderr).toMatch(/^\{"id":1,/)
  })

  test('of the wrong kind are refused by name', async () => {
    const server = createServer().listen(folder.file('out-socket'))
    onTestFinished(() => void server.close())
    expect((await shell('map --in numbers --out out-socket')).code).toBe(5)
    for (const name of ['o.gz', 'o.jsonl.zst', 'o.zip']) {
      const { code, stderr } = await shell(`map --in numbers --out ${name}; c=$?; ls ${name}; exit $c`)
      expect([code, stderr]).toEqual([2, expect.stringMatching(`^error: ${name}: results are not compressed`)])
      expect((await shell(`map --in numbers --out /dev/null --errors ${name}`)).code).toBe(2)
    }
    expect((await shell('mkfifo both; map --in both --out both')).code).toBe(2)
  })

  test('of NUL-separated records are separated by NUL', async () => {
    const { stdout } = await shell(`printf 'a\\nb\\0c\\0' | map -k --format nul | tr '\\0' '|'`)
    expect(stdout).toBe('a\nb|c|')
    expect((await shell(`printf '1\\0002' | map -k --format nul --output jsonl`)).stdout).toBe('"1"\n"2"\n')
  })
})

test('gzip through a pipe whose writer ends too early passes what came and exits with 4', {
  timeout: 60_000,
}, async () => {
  const { stdout } = await shell(`
    gzip -c numbers > numbers.gz; size=$(stat -c %s numbers.gz)
    for bytes in 1 11 $((size / 2)) $((size - 1)); do
      head -c $bytes numbers.gz | map --in - -k > passed 2> told
      echo $? $(cmp passed <(head -n $(wc -l < passed) numbers) && grep -c 'cannot read' told)
    done
    mkfifo early; (head -c 5000 numbers.gz > early) & map --in early --in numbers -k > passed 2> told; echo $?`)
  expect(stdout).toBe('4 1\n4 1\n4 1\n4 1\n4\n')
})
