/** Chromium for the browser tests: found, never downloaded, and its absence is a failure with the remedy in it. */

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Path of the browser: the variable `CHROMIUM_PATH`, else the first known name on `PATH`, else the one that
 * Playwright installed. Throws when there is none.
 */
export function chromiumPath(env: NodeJS.ProcessEnv = process.env, installed = chromium.executablePath()): string {
  const named = env.CHROMIUM_PATH
  if (named !== undefined && !isExecutable(named)) throw new Error(`CHROMIUM_PATH: ${named} cannot be executed`)
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), installed]
  const found = named ?? candidates.find(isExecutable)
  if (!found) {
    throw new Error('The browser tests need Chromium: install it (apt-get install chromium) or set CHROMIUM_PATH to it')
  }
  return found
}

/** Starts the browser without a window; the caller closes it. */
export function startChromium(): Promise<Browser> {
  // Chromium refuses its sandbox to root, which is who runs in a container.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath: chromiumPath(), args })
}
