/** Runs whose output and journal are cut off somewhere, as a dead machine leaves them, and taken up again. */

import { expect } from 'vitest'
import { mapFile } from '../../src/batch/map-file.js'
import type { MapFileOptions } from '../../src/batch/options/map-options.js'
import { localTasks } from './local-tasks.js'
import { scratchFolder } from './scratch-folder.js'

export const CUT_VARIANTS: readonly (readonly [name: string, options: Partial<MapFileOptions>])[] = [
  ['in order', {}],
  ['as they come', { keepOrder: false }],
  ['with keys', { key: '/i' }],
]

const SHORT = Array.from({ length: 4 }, (_, i) => `{"i":${i}}\n`).join('')

const sorted = (text: string): string[] => text.split('\n').sort()

/** Cuts the output, the journal, and both, at every `step`th byte; each time, the resumed run must complete the output. */
export async function cutAndResume(more: Partial<MapFileOptions>, step: number): Promise<void> {
  const folder = scratchFolder()
  const input = folder.write('in', SHORT)
  const options = { task: 'lenient', in: input, out: folder.path('out'), journal: folder.path('journal'), ...more }
  const run = async (resume?: 'unfinished') =>
    (await mapFile(localTasks(), { ...options, ...(resume && { resume }) })).done
  await run()
  const out = folder.read('out')
  const journal = folder.read('journal')
  expect(sorted(out)).toEqual(sorted(SHORT))
  const check = async (cutOut: string, cutJournal: string): Promise<void> => {
    folder.write('out', cutOut)
    folder.write('journal', cutJournal)
    // Without a whole first line, nothing can be known of the output.
    if (!cutJournal.includes('\n') && cutOut !== '') {
      await expect(run('unfinished')).rejects.toMatchObject({ code: 'EVENKEEL_BATCH_USAGE' })
      return
    }
    await run('unfinished')
    expect([cutOut.length, cutJournal.length, sorted(folder.read('out'))]).toEqual([
      cutOut.length,
      cutJournal.length,
      sorted(SHORT),
    ])
  }
  for (let end = 0; end <= out.length; end += step) await check(out.slice(0, end), journal)
  for (let end = 0; end <= journal.length; end += step) await check(out, journal.slice(0, end))
  for (let end = 0; end <= journal.length; end += 7) {
    await check(out.slice(0, Math.floor((out.length * end) / journal.length)), journal.slice(0, end))
  }
}
