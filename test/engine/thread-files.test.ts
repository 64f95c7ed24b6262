import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { afterAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../src/base/version.js'
import { threadEntryUrl } from '../../src/base/worker-urls.js'
import { filesAt, filesBesideUs } from '../../src/engine/thread-files.js'
import { RealThread } from './real-thread.js'

const folder = mkdtempSync(join(tmpdir(), 'evenkeel-thread-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const builtThread = fileURLToPath(new URL('thread.cjs', threadEntryUrl))
const echo = 'export const echo = (value) => value'

/** A copy under a name of the app's, in a folder where nothing is installed. */
function deployed(name: string): string {
  const path = join(folder, name)
  copyFileSync(builtThread, path)
  return path
}

describe('beside evenkeel', () => {
  test('there are the built entry and the piscina that is installed', () => {
    const files = filesBesideUs()
    expect(files.Piscina).toBe(Piscina)
    expect(existsSync(files.entry)).toBe(true)
  })

  test('an entry that is not there is named, with both remedies', () => {
    const nowhere = join(folder, 'nowhere', 'entry.cjs')
    expect(() => filesBesideUs(nowhere)).toThrow(
      expect.objectContaining({ code: 'EVENKEEL_MODULE_LOAD', retryable: false }),
    )
    for (const word of [nowhere, 'threadFile', '--external:evenkeel']) {
      expect(() => filesBesideUs(nowhere)).toThrow(word)
    }
  })
})

describe('one file for threads', () => {
  test('says hello, loads the module and answers, wherever it stands and whatever it is called', async () => {
    const threadFile = deployed('odd name #1.cjs')
    const real = await new RealThread(
      `${echo}
       import { workerData } from 'node:worker_threads'
       export const data = () => workerData`,
      { threadFile, workerData: { of: 'the user' } },
    ).loaded()
    expect(real.hellos).toHaveLength(1)
    real.run('echo', 1)
    real.run('data')
    await real.settled(2)
    expect(real.answers).toEqual([1, { of: 'the user' }])
  })

  test('passes the cause on when a thread ends', async () => {
    const threadFile = deployed('thread.cjs')
    const real = await new RealThread('export const leave = (code) => process.exit(code)', { threadFile }).loaded()
    real.run('leave', 3)
    expect(await real.exited()).toEqual({ exitCode: 3 })
  })

  test('can be required in one of its own threads, for a pool inside a task', async () => {
    const threadFile = deployed('nested.cjs')
    const real = await new RealThread(
      `import { createRequire } from 'node:module'
       export const kindOf = (file) => typeof createRequire(file)(file).piscina().prototype.run`,
      { threadFile },
    ).loaded()
    real.run('kindOf', threadFile)
    real.run('kindOf', deployed('second copy.cjs'))
    await real.settled(2)
    expect(real.answers).toEqual(['function', 'function'])
    expect(real.hellos).toHaveLength(1)
  })

  test('that is not there or is another file ends the thread before it began, with an error that names it', async () => {
    const other = join(folder, 'other.cjs')
    writeFileSync(other, 'module.exports = undefined')
    for (const threadFile of [join(folder, 'gone.cjs'), other]) {
      const { error } = await new RealThread(echo, { threadFile }).exited()
      expect(error).toMatchObject({
        code: 'EVENKEEL_MODULE_LOAD',
        message: expect.stringContaining(threadFile),
      })
    }
    expect(() => filesAt(other)).toThrow('is not evenkeel')
  })

  test('of another version is refused with both versions, before a thread starts', () => {
    const stale = join(folder, 'stale.cjs')
    const text = readFileSync(builtThread, 'utf8')
    const aged = text.replace(`"${VERSION}"`, '"0.0.9"').replace(`\`${VERSION}\``, '"0.0.9"')
    expect(aged).not.toBe(text)
    writeFileSync(stale, aged)
    expect(() => filesAt(stale)).toThrow(expect.objectContaining({ code: 'EVENKEEL_MODULE_LOAD' }))
    for (const word of [stale, 'evenkeel 0.0.9', `this is ${VERSION}`]) expect(() => filesAt(stale)).toThrow(word)
  })
})
