import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startChromium } from '../support/chromium.js'

test('Chromium starts, loads a page from the loopback address and runs its script', async () => {
  const page = '<!doctype html><p id="out"></p><script>out.textContent = [1, 2, 3].map((n) => n * 2).join()</script>'
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await startChromium()
  try {
    const tab = await browser.newPage()
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect(await tab.textContent('#out')).toBe('2,4,6')
  } finally {
    await browser.close()
    server.close()
  }
})
