/** Which records of the input a resumed run passes over. */

import type { TextChecksums } from '../input/text-checksums.js'
import { JournalError } from '../options/batch-errors.js'
import type { ResumePolicy } from '../options/map-options.js'
import type { InputRecord } from '../records/record.js'
import { isBefore, type JournalState } from './journal-state.js'

export interface ResumeOptions {
  readonly state: JournalState
  readonly policy: ResumePolicy
  readonly checksums: TextChecksums
  /** Name of a record in the journal; reads its text. */
  readonly nameOf: (record: InputRecord) => string
}

export class ResumePlan {
  /** Whether all that comes is to be done: the earlier runs have nothing to say of it. It stays so. */
  isPast = false
  readonly #options: ResumeOptions
  /** Records that failed without a fault of theirs are done again under every policy. */
  readonly #hasRedo: boolean

  constructor(options: ResumeOptions) {
    this.#options = options
    this.#hasRedo = [...options.state.failed.values()].some(({ final }) => !final)
  }

  wasFailed(name: string): boolean {
    return this.#options.state.failed.has(name)
  }

  /** Whether the record is to be passed over. Throws `JournalError` when the text is not what the journal saw. */
  passesOver(record: InputRecord): boolean {
    const { state, policy, nameOf } = this.#options
    const before = state.run.key === null && isBefore({ in: record.input, off: record.offset }, state.mark)
    if (!before) this.checkText()
    if (before && !this.#hasRedo && (policy === 'unfinished' || state.failed.size === 0)) return true
    if (!before && state.failed.size === 0 && state.done.size === 0) {
      this.isPast = policy !== 'failed'
      return !this.isPast
    }
    const name = nameOf(record)
    record.journalKey = name
    const failure = state.failed.get(name)
    if (failure !== undefined) return policy === 'unfinished' && failure.final
    return before || state.done.has(name) || policy === 'failed'
  }

  /** To be asked at the end of the input, too: a text that ends before the mark's place is another one. */
  checkText(): void {
    const { state, checksums } = this.#options
    if (state.run.key !== null || checksums.agrees === true) return
    throw new JournalError(
      'the input was changed in a part that is already finished; only a run with --key can go on from there',
    )
  }
}
