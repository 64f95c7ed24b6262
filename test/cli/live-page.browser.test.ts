import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../support/chromium.js'
import { atUrl, CliFolder, feedUntil } from './cli-process.js'

let folder: CliFolder
let browser: Browser
beforeAll(async () => {
  folder = new CliFolder()
  browser = await startChromium()
})
afterAll(async () => {
  await browser?.close()
  folder.remove()
})

test('the page of a run shows its workers at work, and that the run is over', async () => {
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  let looked: Promise<unknown> | undefined
  const look = async (url: string) => {
    await page.goto(url)
    await page.locator('#workers tr[data-state="busy"]').first().waitFor({ timeout: 15_000 })
    return [await page.textContent('#name'), await page.locator('#workers tr').count()]
  }
  // Records keep coming until somebody has seen the workers busy with them.
  const { code } = await folder.map('nap', ['-j', '2', '--dashboard'], {
    during: (child) => {
      atUrl(child, (url) => {
        looked = look(url)
        feedUntil(child, looked)
      })
    },
  })
  expect(await looked).toEqual(['evenkeel map', 2])
  expect(code).toBe(0)
  await page.locator('#connection.lost').waitFor()
  expect(faults).toEqual([])
  await page.close()
})
