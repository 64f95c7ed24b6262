import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeReport } from '../../../bench/report/write-report.js'
import { startChromium } from '../../support/chromium.js'
import { madeUpRun } from './made-up-run.js'

let browser: Browser
let page: Page
const requests: string[] = []
const complaints: string[] = []

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'))
  writeReport(madeUpRun(), folder)
  browser = await startChromium()
  page = await browser.newPage({ viewport: { width: 1_200, height: 900 } })
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(pathToFileURL(join(folder, 'report.html')).href)
})

afterAll(async () => {
  await browser?.close()
})

/*
 * What runs in the page is handed over as text: this project's types know no browser.
 */

/** Pixels of the picture at an address by colour, as `#rrggbb`; the browser itself reads the picture. */
const countColours = `async (address) => {
  const picture = await createImageBitmap(await (await fetch(address)).blob())
  const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
  context.drawImage(picture, 0, 0)
  const { data } = context.getImageData(0, 0, picture.width, picture.height)
  const found = {}
  for (let at = 0; at < data.length; at += 4) {
    const colour = '#' + [0, 1, 2].map((part) => data[at + part].toString(16).padStart(2, '0')).join('')
    found[colour] = (found[colour] ?? 0) + 1
  }
  return found
}`

/** Texts of plots that reach out of their picture. */
const textsOutside = `[...document.querySelectorAll('svg')].flatMap((svg) => {
  const frame = svg.getBoundingClientRect()
  return [...svg.querySelectorAll('text')]
    .filter((text) => {
      const box = text.getBoundingClientRect()
      return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1
    })
    .map((text) => svg.getAttribute('aria-label') + ': ' + text.textContent)
})`

/** Pairs of texts of one plot that lie over each other. */
const textsOverlapping = `[...document.querySelectorAll('svg')].flatMap((svg) => {
  const boxes = [...svg.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()])
  return boxes.flatMap(([name, a], at) =>
    boxes
      .slice(at + 1)
      .filter(([, b]) => a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
      .map(([other]) => svg.getAttribute('aria-label') + ': ' + name + ' over ' + other),
  )
})`

async function coloursOf(png: Buffer): Promise<Map<string, number>> {
  const address = JSON.stringify(`data:image/png;base64,${png.toString('base64')}`)
  return new Map(Object.entries(await page.evaluate<Record<string, number>>(`(${countColours})(${address})`)))
}

describe('report in a browser', () => {
  test('loads nothing but itself and complains of nothing', () => {
    expect(requests).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  test('keeps every text of a plot inside its picture', async () => {
    expect(await page.evaluate(textsOutside)).toEqual([])
  })

  test('writes no two texts of a plot over each other', async () => {
    expect(await page.evaluate(textsOverlapping)).toEqual([])
  })

  test('shows the lines of the percentile plot and the cells of the heat map in their colours', async () => {
    const plot = page.locator('svg[aria-label="latency by percentile: stall, Atomics.wait"]')
    const lines = await coloursOf(await plot.screenshot())
    expect(lines.get('#ffffff')).toBeGreaterThan(1_000)
    for (const colour of ['#0b6e4f', '#c1292e', '#235789']) expect(lines.get(colour) ?? 0, colour).toBeGreaterThan(50)
    const heat = page.locator('figure svg[aria-label="evenkeel least-outstanding"]').first()
    const cells = await coloursOf(await heat.screenshot())
    // Shades of the scale, and the red line of the block.
    expect([...cells].filter(([colour, count]) => count > 100 && colour !== '#ffffff').length).toBeGreaterThan(3)
    expect(cells.get('#c1292e') ?? 0).toBeGreaterThan(100)
  })

  test('a table that is too wide scrolls by itself, not the page', async () => {
    const [scrolled, shown] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, window.innerWidth]',
    )
    expect(scrolled).toBeLessThanOrEqual(shown)
  })
})
