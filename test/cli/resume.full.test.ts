import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CliFolder, numberedLines } from './cli-process.js'

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
  test('does failed records again when asked, and only then', async () => {
    const input = folder.write('c.jsonl', numberedLines(6))
    const args = ['--in', input, '--out', 'c.out', '--errors', 'c.errors']
    folder.write('tasks-c.mjs', 'export default ({ i }) => { if (i % 2) throw new Error("odd"); return { i } }')
    const first = await folder.run(['map', './tasks-c.mjs', ...args])
    expect(first.code).toBe(1)
    expect(first.stderr).toContain('--resume=failed')
    const idle = await folder.run(['map', './tasks-c.mjs', ...args, '--resume'])
    expect(idle.stderr).toContain('ok=0 failed=0')
    expect(idle.stderr).toContain('resumed=6')
    folder.write('tasks-c.mjs', 'export default ({ i }) => ({ i, mended: true })')
    const changed = await folder.run(['map', './tasks-c.mjs', ...args, '--resume=failed'])
    expect(changed.code).toBe(4)
    expect(changed.stderr).toContain('module')
    const mended = await folder.run(['map', './tasks-c.mjs', ...args, '--resume=failed', '--resume-anyway'])
    expect(mended.code).toBe(0)
    expect(folder.values('c.out')).toEqual([
      { i: 0 },
      { i: 2 },
      { i: 4 },
      { i: 1, mended: true },
      { i: 3, mended: true },
      { i: 5, mended: true },
    ])
    expect(folder.read('c.errors')).toBe('')
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
