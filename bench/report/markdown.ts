import type { BenchReport } from '../harness/report.js'
import { answerOf, type Cell, type Section, sectionsOf } from './sections.js'

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A shown difference is bold with a word, because Markdown has no colours. */
const cellText = ({ text, tone }: Cell): string =>
  tone === undefined ? escapeCell(text) : `**${escapeCell(text)}** ${tone}`

function sectionMarkdown({ title, note, header, rows }: Section): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const table = [
    line(header.map(escapeCell)),
    line(header.map(() => '---')),
    ...rows.map((row) => line(row.map(cellText))),
  ]
  return [`## ${title}`, ...(note === undefined ? [] : [note]), ...(rows.length === 0 ? [] : [table.join('\n')])].join(
    '\n\n',
  )
}

export function markdownReport(report: BenchReport): string {
  const { first, scenarios, last } = sectionsOf(report)
  return `${[`# evenkeel bench: ${report.command}`, answerOf(report), ...[...first, ...scenarios, ...last].map(sectionMarkdown)].join('\n\n')}\n`
}
