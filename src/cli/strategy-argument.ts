/** `--strategy NAME` or `NAME:parameter=value,parameter=value`. */

import { InvalidArgumentError } from 'commander'
import { catalogue, createStrategy, type StrategySpec } from '../selection/index.js'

/** Checks the name and the parameters by making the strategy once. */
export function parseStrategy(text: string): StrategySpec {
  const at = text.indexOf(':')
  const name = at < 0 ? text : text.slice(0, at)
  const spec: Record<string, unknown> = { name }
  for (const pair of at < 0 ? [] : text.slice(at + 1).split(',')) {
    const [parameter = '', value] = pair.split('=')
    if (value === undefined) throw new InvalidArgumentError(`expected parameter=value, got '${pair}'`)
    spec[parameter] = value.includes('/')
      ? value.split('/').map(Number)
      : Number.isNaN(Number(value))
        ? value
        : Number(value)
  }
  try {
    createStrategy(spec as unknown as StrategySpec, { random: () => 0 })
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
  return spec as unknown as StrategySpec
}

/** The catalogue as a list for the help text. */
export function strategyHelp(columns: number): string {
  const width = Math.max(...catalogue.map(({ name }) => name.length)) + 2
  const lines = catalogue.flatMap(({ name, summary, parameters }) => {
    const settings = parameters.map((parameter) => `${parameter.name}=${parameter.default ?? 'a/b/…'}`)
    const text = settings.length === 0 ? summary : `${summary} [${settings.join(', ')}]`
    return wrap(text, Math.max(columns - width - 4, 24)).map((line, index) =>
      `  ${(index === 0 ? name : '').padEnd(width)}${line}`.trimEnd(),
    )
  })
  return ['Strategies (--strategy NAME or NAME:parameter=value,…; lists of weights as a/b/…):', ...lines].join('\n')
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
