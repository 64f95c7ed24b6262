import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { mapToSources, readRawCoverage } from '../support/coverage/built-coverage.js'

const source = `import { parentPort } from 'node:worker_threads'

interface Erased { field: string }
function called(erased?: Erased): number { return erased ? 1 : 0 }
function neverCalled(): number {
  return 2
}
if (process.argv.length > 99) neverCalled()
for (let round = 0; ; round++) {
  called()
  if (round === 1000) parentPort!.postMessage('up')
}
`

describe('coverage of threads', () => {
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-coverage-'))
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, sourceMap: true }
    const built = ts.transpileModule(source, { compilerOptions: options, fileName: 'busy.ts' })
    writeFileSync(join(folder, 'busy.ts'), source)
    writeFileSync(join(folder, 'busy.mjs'), built.outputText)
    writeFileSync(join(folder, 'busy.mjs.map'), built.sourceMapText ?? '')
    vi.stubEnv('NODE_V8_COVERAGE', join(folder, 'raw'))
    const worker = new Worker(join(folder, 'busy.mjs'))
    await new Promise((resolve) => worker.once('message', resolve))
    await worker.terminate()
    vi.unstubAllEnvs()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('a thread terminated in a busy loop leaves its lines, mapped to the source', async () => {
    const raw = readRawCoverage(join(folder, 'raw'), [pathToFileURL(folder).href])
    const [mapped] = await mapToSources(raw)
    const file = mapped?.[join(folder, 'busy.ts')]
    expect(file).toBeDefined()
    const hits = Object.entries(file!.statementMap).map(([id, { start }]) => [start.line, file!.s[id]! > 0])
    expect(hits).toContainEqual([4, true])
    expect(hits).toContainEqual([6, false])
    expect(hits).toContainEqual([10, true])
  })

  test('files of other folders are left out, and a missing folder counts as none', () => {
    expect(readdirSync(join(folder, 'raw'))).not.toHaveLength(0)
    expect(readRawCoverage(join(folder, 'raw'), ['file:///nowhere/']).result).toEqual([])
    expect(readRawCoverage(join(folder, 'absent'), ['file:///']).result).toEqual([])
  })
})
