import { expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.js'
import { catalogue } from '../../src/selection/index.js'

function program() {
  const calls: unknown[] = []
  let output = ''
  const built = buildProgram(
    {
      map: async (module, options) => void calls.push(['map', module, options.out]),
      bench: async (args) => void calls.push(['bench', args]),
    },
    '1.2.3',
    80,
  )
  for (const command of [built, ...built.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => {
        output += text
      },
      writeErr: (text) => {
        output += text
      },
    })
  }
  const run = async (...args: string[]): Promise<string> => {
    output = ''
    await built.parseAsync(args, { from: 'user' }).catch((error) => {
      output += error.code
    })
    return output
  }
  return { run, calls }
}

test('help lists commands, strategies and exit codes', async () => {
  const { run } = program()
  const text = await run('--help')
  for (const { name } of catalogue) expect(text).toContain(name)
  expect(text).toContain('map')
  expect(text).toContain('bench')
  const map = await run('map', '--help')
  expect(map).toMatch(/^ {2}141 /m)
  expect(map.match(/^ {2}.*evenkeel map \S/gm)).toHaveLength(2)
  for (const word of ['Input and output:', 'Journal:', '--resume', '130/143', 'counts seconds', 'range-table'])
    expect(map).toContain(word)
  expect(await run('--version')).toContain('1.2.3')
})

test('commands get their arguments, bench all of its own', async () => {
  const { run, calls } = program()
  await run('map', 'm.mjs', '--out', 'x')
  await run('bench', 'stall', '--quick', '--json', '--help')
  expect(calls).toEqual([
    ['map', 'm.mjs', 'x'],
    ['bench', ['stall', '--quick', '--json', '--help']],
  ])
})

test('a missing module and an unknown command are said', async () => {
  const { run } = program()
  expect(await run('map')).toContain("missing required argument 'module")
  expect(await run('mpa')).toContain('Did you mean map')
})

test('an input without --in is refused with what to do', async () => {
  const { run, calls } = program()
  const output = await run('map', 'm.mjs', '--in', 'one.txt', 'two.txt', 'three.txt')
  expect(output).toBe(
    'error: too many arguments: two.txt; name each input by --in, and quote patterns\ncommander.excessArguments',
  )
  expect(calls).toEqual([])
})
