import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const host = fileURLToPath(new URL('./stopped-host.mjs', import.meta.url))

test.skipIf(process.platform === 'win32')(
  'a process that is stopped and continued accuses no worker, and ends no task for the time it stood still',
  async () => {
    const child = spawn(process.execPath, [host], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    expect(await lines.next()).toMatchObject({ value: 'running' })
    child.kill('SIGSTOP')
    await sleep(2_500)
    child.kill('SIGCONT')
    const { value } = await lines.next()
    expect(JSON.parse(value)).toEqual({ codes: ['fulfilled', 'fulfilled', 'fulfilled'], told: [] })
    await new Promise((resolve) => child.once('exit', resolve))
  },
)
