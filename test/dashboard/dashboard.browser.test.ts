import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Dashboard, dashboard } from '../../src/dashboard/dashboard.js'
import { Dispatcher } from '../../src/index.js'
import { startChromium } from '../support/chromium.js'

const module = new URL('../integration/tasks.mjs', import.meta.url)
/** Where the pictures go, to be looked at by people. */
const PICTURES = join(tmpdir(), 'evenkeel-dashboard')
const BLOCK_MS = 6_000

let browser: Browser
let pool: Dispatcher
let served: Dashboard
let page: Page
/** What went wrong in the page, and what it asked of others. */
let faults: string[]
let strangers: string[]
/** While true, short tasks keep the workers busy. */
let isLoaded: boolean
let load: Promise<unknown>

async function feed(): Promise<void> {
  while (isLoaded) await pool.run('parkFor', 5)
}

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true })
  browser = await startChromium()
})
afterAll(() => browser?.close())

beforeEach(async () => {
  pool = new Dispatcher({ module, workers: 4, stallUnknownMs: 250 })
  await pool.ready()
  served = await dashboard(pool, { name: 'thumbnails' })
  isLoaded = true
  load = Promise.all(Array.from({ length: 24 }, feed))
  page = await browser.newPage({ viewport: { width: 1_280, height: 1_100 } })
  faults = []
  strangers = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(served.url)) strangers.push(request.url())
  })
})

afterEach(async () => {
  isLoaded = false
  await load
  await page.close()
  await served.close()
  await pool.close()
})

const row = (slot: number) => page.locator(`#workers tr[data-slot="${slot}"]`)

interface ShownWorker {
  readonly slot: number
  readonly state: string
  readonly chip: string
  /** As the table tells it, percent. */
  readonly share: number
  /** As the bar draws it, pixels. */
  readonly width: number
}

/** What table and bar show at one moment. */
function shown(): Promise<ShownWorker[]> {
  return page.evaluate(`Array.from(document.querySelectorAll('#workers tr'), (row) => ({
    slot: Number(row.dataset.slot),
    state: row.dataset.state,
    chip: row.querySelector('.chip').textContent,
    share: Number.parseFloat(row.querySelector('.share').textContent),
    width: document.querySelector('#range [data-slot="' + row.dataset.slot + '"]').getBoundingClientRect().width,
  }))`)
}

/** One worker is shown as stalled with a share of next to nothing, and all others with a good part of the table. */
async function showsItsShareShrunk(slot: number): Promise<boolean> {
  const workers = await shown()
  const stalled = workers.find((worker) => worker.slot === slot)!
  const others = workers.filter((worker) => worker !== stalled)
  return (
    stalled.state === 'stalled' &&
    stalled.chip === 'stalled' &&
    stalled.share < 1 &&
    others.every(({ share, width }) => share > 10 && width > 10 * stalled.width)
  )
}

async function shows(state: string): Promise<number> {
  const found = page.locator(`#workers tr[data-state="${state}"]`)
  await found.first().waitFor({ timeout: 15_000 })
  return Number(await found.first().getAttribute('data-slot'))
}

describe('the page of a pool', () => {
  test.each(['light', 'dark'] as const)('shows a stall while it lasts, and its end (%s)', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    await page.goto(served.url)
    await shows('busy')
    expect(await page.locator('#workers tr').count()).toBe(4)
    expect(await page.textContent('#name')).toBe('thumbnails')
    expect(await page.textContent('#connection')).toBe('live')

    const block = pool.run('moody', { value: 1, parkMs: BLOCK_MS })
    const slot = await shows('stalled')
    // Long enough for the lag to be seen, and for the bar to have moved.
    await page.waitForTimeout(1_000)
    await page.screenshot({ path: join(PICTURES, `stall-${colorScheme}.png`) })
    // On a busy machine another worker may be late for a moment, too.
    await expect.poll(() => showsItsShareShrunk(slot), { timeout: BLOCK_MS / 2 }).toBe(true)
    expect(await page.locator('#range .stalled').count()).toBe(1)
    const stall = page.locator('#events .stall').first()
    expect(await stall.textContent()).toContain(`worker ${slot}: no sign of life for`)
    expect(await stall.textContent()).toContain('"moody"')

    await block
    await page.locator('#events .recover').first().waitFor()
    await page.locator(`#workers tr[data-slot="${slot}"]:not([data-state="stalled"])`).waitFor()
    expect(await page.locator('#range .stalled').count()).toBe(0)
    expect({ faults, strangers }).toEqual({ faults: [], strangers: [] })
  })

  test('draws its charts and says in words what its pictures show', async () => {
    await page.goto(served.url)
    await shows('busy')
    expect(await page.locator('.chart canvas').count()).toBe(2)
    const legend = await page.locator('.chart .u-label').allTextContents()
    expect(legend).toEqual(expect.arrayContaining(['queued', 'running', 'wait p99']))
    expect(await page.getAttribute('#range', 'aria-label')).toMatch(/worker 0 [\d.]+ %, worker 1/)
    expect(await row(0).locator('canvas[aria-label]').getAttribute('aria-label')).toMatch(/lag of worker 0: now/)
    // Pictures, fields and cells without a name would say nothing to who cannot see them.
    const nameless = page.locator('[role="img"]:not([aria-label]):not([aria-labelledby]), meter:not([aria-label])')
    expect(await nameless.count()).toBe(0)
  })

  test('fits a narrow screen, says so when the pool is gone, and begins anew when it is back', async () => {
    await page.setViewportSize({ width: 420, height: 900 })
    await page.goto(served.url)
    await shows('busy')
    const overhang = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(overhang).toBeLessThanOrEqual(0)
    await served.close()
    await page.locator('#connection.lost').waitFor()
    served = await dashboard(pool, { name: 'again', port: served.port })
    await page.locator('#connection.live').waitFor()
    await page.locator('#name', { hasText: 'again' }).waitFor()
  })
})
