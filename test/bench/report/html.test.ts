import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseReport } from '../../../bench/report/compare.js'
import { htmlReport } from '../../../bench/report/html.js'
import { markdownReport } from '../../../bench/report/markdown.js'
import { reportText } from '../../../bench/report/text-table.js'
import { writeReport } from '../../../bench/report/write-report.js'
import { madeUpReport, madeUpScenario, madeUpSystem } from './made-up-report.js'
import { madeUpRun } from './made-up-run.js'

const html = htmlReport(madeUpRun())

describe('HTML report', () => {
  test('needs nothing from anywhere: no script, no link, no address but the name of SVG', () => {
    expect(html).not.toMatch(/<script|<link|<img|@import|url\(/)
    expect(new Set(html.match(/https?:\/\/[^"' <]+/g))).toEqual(new Set(['http://www.w3.org/2000/svg']))
  })

  test('says first what was found: the regret, else what the report itself says, else the goals', () => {
    const report = madeUpRun()
    expect(html).toMatch(/class="answer">evenkeel's p99 is at worst/)
    expect(htmlReport({ ...report, answer: 'Recommended: this & that.' })).toContain(
      'class="answer">Recommended: this &amp; that.<',
    )
    const reached = report.goals.filter(({ verdict }) => verdict.endsWith('reached')).length
    expect(markdownReport({ ...report, results: [] })).toContain(
      `${reached} of ${report.goals.length} goals were reached; nothing was measured in an open loop.`,
    )
  })

  test('names what may be better although too few repetitions were made to show it', () => {
    const times = (factor: number) => ({ p99Ms: [10, 11, 12].map((ms) => ms * factor) })
    const systems = [
      madeUpSystem('evenkeel', times(1)),
      madeUpSystem('swift', times(0.6)),
      madeUpSystem('lame', times(2)),
    ]
    const markdown = markdownReport(madeUpReport([madeUpScenario('calm', systems)]))
    const [losses] = markdown.split('## Where evenkeel loses')[1]!.split('\n## ')
    expect(losses).toMatch(/\| calm \| p99Ms \| swift \| 0\.600 \|.*\| no \|/)
    expect(losses).not.toContain('lame')
  })

  test('escapes what comes from outside', () => {
    expect(html).toContain('made up &lt;&amp;&gt; model')
    expect(html).toContain('a system named &lt;b&gt;&amp;&quot;')
    expect(html).not.toContain('a system named <b>')
  })

  test('closes every element that it opens', () => {
    const open: string[] = []
    for (const [, closing, name, selfClosed] of html.matchAll(/<(\/?)([a-z]\w*)(?:"[^"]*"|[^>"])*?(\/?)>/g)) {
      if (selfClosed === '/' || ['meta', 'br'].includes(name!)) continue
      if (closing === '') open.push(name!)
      else expect(open.pop()).toBe(name)
    }
    expect(open).toEqual([])
  })

  test('never draws a number that is none', () => {
    expect(html).not.toMatch(/NaN|Infinity|undefined/)
  })

  test('holds the load curve, a percentile plot, heat maps, bars and the tables', () => {
    for (const title of [
      'p99 against load',
      'latency by percentile: stall, Atomics.wait',
      'closed loop: tasksPerSecond',
    ]) {
      expect(html).toContain(`aria-label="${title}"`)
    }
    for (const heading of [
      'All scenarios',
      'Goals',
      'Regret',
      'Where evenkeel loses',
      'Environment',
      'Measurements that do not count',
    ]) {
      expect(html).toContain(`<h2>${heading}</h2>`)
    }
    expect(html).toContain('worker 2')
    expect(html).toContain('stolen &lt;processor&gt; time')
  })

  test('can be made of a report in which nothing could be measured', () => {
    expect(htmlReport(madeUpReport([]))).not.toMatch(/NaN|Infinity|undefined/)
  })
})

describe('other forms', () => {
  test('Markdown has the same sections, with cells that keep their columns', () => {
    const markdown = markdownReport(madeUpRun())
    expect(markdown.match(/^## .*/gm)!.length).toBe(html.match(/<h2>/g)!.length)
    for (const table of markdown.split('\n\n').filter((block) => block.startsWith('|'))) {
      const widths = table
        .trim()
        .split('\n')
        .map((line) => line.replaceAll('\\|', '').split('|').length)
      expect(new Set(widths).size, table).toBe(1)
    }
  })

  test('text shows goals, faults and systems that are not installed', () => {
    const text = reportText(madeUpRun())
    expect(text).toContain('a goal')
    expect(text).toContain('stolen <processor> time')
    expect(text).toContain('tinypool: not installed')
  })

  test('files are written side by side, and the JSON one can be compared later', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'report-')), 'deep', 'down')
    writeReport(madeUpRun(), folder)
    expect(readdirSync(folder).sort()).toEqual(['report.html', 'report.md', 'results.json'])
    const read = parseReport(readFileSync(join(folder, 'results.json'), 'utf8'), 'results.json')
    expect(read).toEqual(JSON.parse(JSON.stringify(madeUpRun())))
  })
})
