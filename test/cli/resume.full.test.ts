import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLI, CliFolder, numberedLines } from './cli-process.js'

let folder: CliFolder
beforeAll(() => {
  folder = new CliFolder()
})
afterAll(() => folder.remove())

describe('an output in the way', () => {
  test('is refused with 2, overwritten on request, and taken up when it has a journal', async () => {
    const input = folder.write('a.jsonl', numberedLines(3))
    folder.write('a.out', 'precious\n')
    const refused = await folder.map('echo', ['--in', input, '--out', 'a.out'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--force')
    const unknown = await folder.map('echo', ['--in', input, '--out', 'a.out', '--resume'])
    expect(unknown.code).toBe(2)
    expect(folder.read('a.out')).toBe('precious\n')
    const forced = await folder.map('echo', ['--in', input, '--out', 'a.out', '--force'])
    expect(forced.code).toBe(0)
    expect(folder.values('a.out')).toHaveLength(3)
    const again = await folder.map('echo', ['--in', input, '--out', 'a.out', '--resume'])
    expect(again.code).toBe(0)
    expect(again.stderr).toContain('resumed=3')
    expect(folder.values('a.out')).toHaveLength(3)
  })

  test('without journal: an empty or missing one starts afresh', async () => {
    const input = folder.write('b.jsonl', numberedLines(2))
    folder.write('b.out', '')
    folder.write('b.out.journal', '{"v":1,"type":"ru')
    const { code } = await folder.map('echo', ['--in', input, '--out', 'b.out', '--resume'])
    expect(code).toBe(0)
    expect(folder.values('b.out')).toHaveLength(2)
  })
})

describe('resuming', () => {
  test('speaks of the whole run, and does failed records again when asked, with the function mended', async () => {
    const input = folder.write('c.jsonl', numberedLines(6))
    const args = ['--in', input, '--out', 'c.out', '--errors', 'c.errors']
    folder.write('tasks-c.mjs', 'export default ({ i }) => { if (i % 2) throw new Error("odd"); return { i } }')
    const first = await folder.run(['map', './tasks-c.mjs', ...args, '--limit', '4'])
    expect(first.code).toBe(1)
    expect(first.stderr).toContain('ok=2 failed=2 ')
    const rest = await folder.run(['map', './tasks-c.mjs', ...args, '--resume'])
    expect(rest.code).toBe(1)
    expect(rest.stderr).toContain('ok=3 failed=3 skipped=0 retried=0 (this run: ok=1 failed=1 skipped=0) resumed=4')
    const idle = await folder.run(['map', './tasks-c.mjs', ...args, '--resume', '--limit', '2'])
    expect(idle.code).toBe(1)
    expect(idle.stderr).toMatch(
      /failed=3 .*resume: evenkeel map \.\/tasks-c\.mjs --in \S* --out c.out --errors c.errors --resume=failed\n/,
    )
    folder.write(
      'tasks-c.mjs',
      'export default ({ i }) => { if (i === 3) throw new Error("three"); return { i, mended: true } }',
    )
    const some = await folder.run(['map', './tasks-c.mjs', ...args, '--resume=failed'])
    expect(some.code).toBe(1)
    expect(some.stderr).toContain('warning: changed since the earlier run: module text')
    expect(folder.values('c.errors')).toMatchObject([{ id: 4, error: { message: 'three' } }])
    folder.write('tasks-c.mjs', 'export default ({ i }) => ({ i, mended: true })')
    const mended = await folder.run(['map', './tasks-c.mjs', ...args, '--resume=failed'])
    expect(mended.code).toBe(0)
    expect(mended.stderr).toContain('ok=6 failed=0')
    expect(folder.values('c.out')).toEqual([
      { i: 0 },
      { i: 2 },
      { i: 4 },
      { i: 1, mended: true },
      { i: 5, mended: true },
      { i: 3, mended: true },
    ])
    expect(folder.read('c.errors')).toBe('')
    expect(
      readdirSync(folder.path)
        .filter((name) => name.startsWith('c.'))
        .sort(),
    ).toEqual(['c.errors', 'c.jsonl', 'c.out', 'c.out.journal'])
  })

  test('restores the file of failed records whatever became of it, and touches nothing foreign', async () => {
    const input = folder.write('r.jsonl', numberedLines(9))
    const args = ['--in', input, '--out', 'r.out', '--errors', 'r.errors']
    await folder.map('failOdd', args)
    const errors = folder.read('r.errors')
    for (const [change, told] of [
      [() => folder.write('r.errors', errors.slice(0, errors.length / 2)), 'shorter'],
      [() => rmSync(folder.file('r.errors')), 'is gone'],
      [() => folder.write('r.errors', errors.replace('odd', 'ODD')), 'other lines'],
      [() => folder.write('r.errors', `${errors}{"id":99`), undefined],
      [() => folder.write('r.errors', '\0'.repeat(errors.length)), 'other lines'],
    ] as const) {
      change()
      const { code, stderr } = await folder.map('failOdd', [...args, '--resume'])
      expect([code, folder.read('r.errors')]).toEqual([1, errors])
      expect(stderr).toContain('ok=5 failed=4')
      if (told !== undefined) expect(stderr).toContain(told)
    }
    folder.write('r.errors', `my notes\n${errors}`)
    const foreign = await folder.map('failOdd', [...args, '--resume'])
    expect([foreign.code, folder.read('r.errors')]).toEqual([4, `my notes\n${errors}`])
    expect(foreign.stderr).toContain('is not the file of failed records')
  })

  test('notices an output that was changed, and does again what was cut off', async () => {
    const input = folder.write('o.jsonl', numberedLines(9))
    const args = ['--in', input, '--out', 'o.out']
    await folder.map('echo', args)
    const output = folder.read('o.out')
    folder.write('o.out', output.replace('4', '5'))
    const changed = await folder.map('echo', [...args, '--resume'])
    expect([changed.code, folder.read('o.out')]).toEqual([4, output.replace('4', '5')])
    folder.write('o.out', output.slice(0, 20))
    const cut = await folder.map('echo', [...args, '--resume'])
    expect([cut.code, folder.read('o.out')]).toEqual([0, output])
    expect(cut.stderr).toContain('is shorter than')
    rmSync(folder.file('o.out'))
    const gone = await folder.map('echo', [...args, '--resume'])
    expect([gone.code, folder.read('o.out')]).toEqual([0, output])
  })

  test('with a limit before what is done already is no change of the input', async () => {
    const input = folder.write('m.jsonl', numberedLines(9))
    const args = ['--in', input, '--out', 'm.out']
    await folder.map('echo', args)
    const { code, stderr } = await folder.map('echo', [...args, '--resume', '--limit', '3'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('ok=9 failed=0')])
  })

  test('is refused with 4 when the input or the options have changed', async () => {
    const input = folder.write('d.jsonl', numberedLines(4))
    const args = ['--in', input, '--out', 'd.out']
    await folder.map('echo', args)
    const option = await folder.map('echo', [...args, '--resume', '--envelope'])
    expect(option.code).toBe(4)
    folder.write('d.jsonl', `{"i":99}\n${numberedLines(4)}`)
    const edited = await folder.map('echo', [...args, '--resume'])
    expect(edited.code).toBe(4)
    expect(edited.stderr).toContain('--resume-anyway')
    // The finished part itself was changed: no place in it means anything any more.
    const anyway = await folder.map('echo', [...args, '--resume', '--resume-anyway'])
    expect(anyway.code).toBe(4)
    expect(folder.values('d.out')).toHaveLength(4)
  })

  test('goes on where lines were appended', async () => {
    const input = folder.write('e.jsonl', numberedLines(4))
    const args = ['--in', input, '--out', 'e.out']
    await folder.map('echo', args)
    folder.write('e.jsonl', numberedLines(7))
    const { code } = await folder.map('echo', [...args, '--resume', '--resume-anyway'])
    expect(code).toBe(0)
    expect(folder.values('e.out')).toEqual(Array.from({ length: 7 }, (_, i) => ({ i })))
  })

  test('finds records by their key after lines were inserted and moved, and equal ones as often as they occur', async () => {
    const input = folder.write('f.jsonl', '{"i":1}\n{"i":2}\n{"i":2}\n{"i":3}\n')
    const args = ['--in', input, '--out', 'f.out', '--key', '/i']
    await folder.map('echo', args)
    folder.write('f.jsonl', '{"i":0}\n{"i":3}\n{"i":2}\n{"i":2}\n{"i":2}\n{"i":1}\n')
    const { code } = await folder.map('echo', [...args, '--resume', '--resume-anyway'])
    expect(code).toBe(0)
    const seen = (folder.values('f.out') as { i: number }[]).map(({ i }) => i)
    expect(seen.slice(0, 4)).toEqual([1, 2, 2, 3])
    expect(seen.slice(4).sort()).toEqual([0, 2])
  })

  test('from standard input reads the same text again', async () => {
    const args = ['--out', 'g.out']
    await folder.map('echo', args, { input: numberedLines(3) })
    const { code } = await folder.map('echo', [...args, '--resume'], { input: numberedLines(5) })
    expect(code).toBe(0)
    expect(folder.values('g.out')).toEqual(Array.from({ length: 5 }, (_, i) => ({ i })))
    const other = await folder.map('echo', [...args, '--resume'], { input: numberedLines(5).replace('1', '7') })
    expect(other.code).toBe(4)
  })

  test('completes a run whose process was aborted, as V8 does out of memory', { timeout: 120_000 }, async () => {
    folder.write(
      'heap.mjs',
      `
      import { existsSync, writeFileSync } from 'node:fs'
      export default ({ i }) => {
        if (i === 40 && !existsSync('grown')) { writeFileSync('grown', ''); process.kill(process.pid, 'SIGABRT') }
        return { i }
      }`,
    )
    const input = folder.write('h.jsonl', numberedLines(80))
    const args = ['map', './heap.mjs', '--in', input, '--out', 'h.out', '--resume', '-j', '2']
    const first = await folder.run(args)
    expect(first.signal).toBe('SIGABRT')
    expect(existsSync(folder.file('h.out.journal'))).toBe(true)
    const second = await folder.run(args)
    expect(second.code).toBe(0)
    expect(folder.values('h.out')).toEqual(Array.from({ length: 80 }, (_, i) => ({ i })))
  })
})

describe('two runs with one journal', () => {
  test('are refused while the first lives; a dead one leaves its lock to the next', async () => {
    const input = folder.write(
      'l.jsonl',
      numberedLines(40, () => ({ ms: 100 })),
    )
    const args = ['--in', input, '--out', 'l.out', '--resume', '-j', '1']
    let second: Promise<{ code: number | null; stderr: string }> | undefined
    await folder.map('nap', args, {
      input: '',
      during: (child) => {
        const timer = setInterval(() => {
          if (!existsSync(folder.file('l.out.journal.lock'))) return
          clearInterval(timer)
          second = folder.map('nap', args).then((result) => {
            child.kill('SIGKILL')
            return result
          })
        }, 20)
      },
    })
    const refused = await second
    expect(refused?.code).toBe(4)
    expect(refused?.stderr).toContain('another run')
    expect(existsSync(folder.file('l.out.journal.lock'))).toBe(true)
    const third = await folder.map('nap', args)
    expect(third.code).toBe(0)
    expect(folder.values('l.out')).toEqual(Array.from({ length: 40 }, (_, i) => ({ i })))
    expect(existsSync(folder.file('l.out.journal.lock'))).toBe(false)
  })
})

/** Whether processes may be started in namespaces of their own here. */
const CAN_UNSHARE = spawnSync('unshare', ['-p', '-f', '--mount-proc', 'true']).status === 0

describe.runIf(CAN_UNSHARE)('two runs in two containers with one volume', () => {
  test('the second is refused while the first lives, and takes over when it is gone', { timeout: 60_000 }, async () => {
    const input = folder.write(
      'u.jsonl',
      numberedLines(60, () => ({ ms: 100 })),
    )
    const map = (): ChildProcess => {
      const command = [
        process.execPath,
        CLI,
        'map',
        './tasks.mjs#nap',
        '--in',
        input,
        '--out',
        'u.out',
        '--resume',
        '-j',
        '1',
      ]
      return spawn('unshare', ['-p', '-f', '--kill-child', '--mount-proc', ...command], {
        cwd: folder.path,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
    }
    const first = map()
    while (!existsSync(folder.file('u.out.journal.lock'))) await new Promise((done) => setTimeout(done, 10))
    const second = map()
    let said = ''
    second.stderr?.on('data', (chunk) => {
      said += chunk
    })
    expect(await once(second, 'close')).toEqual([4, null])
    expect(said).toContain('another run')
    first.kill('SIGKILL')
    await once(first, 'close')
    const third = map()
    expect(await once(third, 'close')).toEqual([0, null])
    expect(folder.values('u.out')).toEqual(Array.from({ length: 60 }, (_, i) => ({ i })))
  })
})
