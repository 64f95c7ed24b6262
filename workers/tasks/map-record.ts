/**
 * The built-in task of a batch run. The record's text lies in shared memory. Decoding, parsing, the call of the
 * user's function and the encoding of its result happen here, so the main thread only splits and writes.
 */

import { workerData } from 'node:worker_threads'
import { systemClock } from '../../src/base/clock.js'
import { isThenable } from '../../src/base/thenable.js'
import {
  decodeGroup,
  decodeRecord,
  decodeText,
  errorAnswer,
  faultAnswer,
  groupAnswers,
  losesNumber,
  mayLoseNumber,
  resultAnswer,
} from '../../src/records/record-codec.js'
import {
  addressLength,
  addressStart,
  type RecordAnswer,
  type RecordPlace,
  type RecordTaskSetup,
  recordAddress,
  type StretchAnswer,
  type StretchPayload,
} from '../../src/records/record-transfer.js'
import { StretchMemory } from '../../src/records/stretch-memory.js'
import { stretchText } from './stretch-text.js'
import { loadUserModule } from './user-module.js'

const settings = workerData as RecordTaskSetup
const arena = Buffer.from(settings.arena)
const { decoding, encoding, timed, grouped } = settings

// Standard output carries records only, so what a task prints goes to standard error.
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write

const user = await loadUserModule(settings.module, settings.task)
const kind = settings.concurrent || user.isIo ? 'io' : 'cpu'

export const kinds = { map: kind, mapGroup: kind } as const
export const setup = (): unknown => user.setup?.()
export const teardown = (): unknown => user.teardown?.()

function textOf(place: RecordPlace): string {
  if (typeof place === 'number') {
    const start = addressStart(place)
    return decodeText(arena, start, start + addressLength(place))
  }
  return decodeText(Buffer.from(place.bytes), 0, place.bytes.byteLength)
}

/** One record; no promise is made for a function that answers at once. */
export function map(place: RecordPlace, context: unknown): RecordAnswer | Promise<RecordAnswer> {
  let value: unknown
  let changedNumber: boolean
  try {
    ;({ value, losesNumber: changedNumber } = decodeRecord(textOf(place), decoding))
  } catch (error) {
    return faultAnswer(error)
  }
  return call(value, changedNumber, context)
}

function call(value: unknown, changedNumber: boolean, context: unknown): RecordAnswer | Promise<RecordAnswer> {
  const startedMs = timed ? systemClock.nowMs() : 0
  const spentMs = (): number | undefined => (timed ? systemClock.nowMs() - startedMs : undefined)
  const result = user.task(value, context)
  if (isThenable(result)) return settleLater(result, changedNumber, spentMs)
  try {
    return resultAnswer(result, encoding, changedNumber, spentMs())
  } catch (error) {
    return faultAnswer(error)
  }
}

async function settleLater(
  result: PromiseLike<unknown>,
  changedNumber: boolean,
  spentMs: () => number | undefined,
): Promise<RecordAnswer> {
  const value = await result
  try {
    return resultAnswer(value, encoding, changedNumber, spentMs())
  } catch (error) {
    return faultAnswer(error)
  }
}

/**
 * Many records in one call. Bad records are left out of the call and answered by themselves. An `Error` in the array of
 * results fails its own record.
 */
export async function mapGroup(places: readonly RecordPlace[], context: unknown): Promise<RecordAnswer[]> {
  if (!grouped) throw new TypeError('mapGroup is for runs with groups')
  const group = decodeGroup(places, textOf, decoding)
  if (group.values.length === 0) return group.answers
  const startedMs = systemClock.nowMs()
  const results = await user.task(group.values, context)
  return groupAnswers(group, results, encoding, timed ? systemClock.nowMs() - startedMs : undefined)
}

const stretches = new StretchMemory(settings.stretches, settings.separator)

/** Short records one after another; see `stretch-memory`. The payload is the stretch's slot, its count and its turn. */
function runStretch(
  [slot, count, turn]: StretchPayload,
  context: { readonly slot: number },
): StretchAnswer | Promise<StretchAnswer> {
  // The stretch was given up before it began; its records have gone elsewhere.
  if (!stretches.enter(slot, turn, context.slot)) return 0
  const text = decoding === 'json' ? stretchText(arena, stretches, slot, count) : undefined
  const looksAtNumbers = text !== undefined && mayLoseNumber(text)
  const answer = continueStretch({ slot, count, text, looksAtNumbers, context, notes: [] }, 0)
  if (!(answer instanceof Promise)) {
    stretches.leave(slot, turn)
    return answer
  }
  return answer.finally(() => stretches.leave(slot, turn))
}

interface Stretch {
  readonly slot: number
  readonly count: number
  /** All texts, if they could be decoded at once. */
  readonly text: string | undefined
  /** Whether parsing may change a number in it. */
  readonly looksAtNumbers: boolean
  readonly context: unknown
  /** Results that are not plain lines. */
  readonly notes: [number, RecordAnswer][]
}

function continueStretch(stretch: Stretch, first: number): StretchAnswer | Promise<StretchAnswer> {
  const { count, notes } = stretch
  for (let index = first; index < count; index++) {
    let result: RecordAnswer | Promise<RecordAnswer>
    try {
      result = mapIn(stretch, index)
    } catch (error) {
      result = errorAnswer(error)
    }
    if (result instanceof Promise) {
      return result.catch(errorAnswer).then((settled) => {
        if (!keep(stretch, index, settled)) return notes
        return continueStretch(stretch, index + 1)
      })
    }
    if (!keep(stretch, index, result)) return notes
  }
  return notes.length === 0 ? 0 : notes
}

function mapIn({ slot, text, looksAtNumbers, context }: Stretch, index: number): RecordAnswer | Promise<RecordAnswer> {
  const start = stretches.textStart(slot, index)
  const end = stretches.textEnd(slot, index)
  const place = recordAddress(start, end - start)
  if (text === undefined) return map(place, context)
  const first = stretches.textStart(slot, 0)
  const record = text.slice(start - first, end - first)
  let value: unknown
  try {
    value = JSON.parse(record)
  } catch {
    // Not JSON: the full decoder finds out what is wrong.
    return map(place, context)
  }
  return call(value, looksAtNumbers && losesNumber(record), context)
}

/** Stores the result for the main thread. False when the stretch ends here. */
function keep({ slot, notes }: Stretch, index: number, answer: RecordAnswer): boolean {
  if (!stretches.write(slot, index, typeof answer === 'string' ? answer : undefined)) notes.push([index, answer])
  return stretches.pass(slot, index)
}

/** I/O tasks run side by side, never in a stretch, so a concurrent run has no such task. */
export const mapStretch = kind === 'cpu' ? runStretch : undefined
