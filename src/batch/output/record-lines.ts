/** The lines that a settled record leaves in the output and in the errors file. */

import type { RecordError } from '../../records/plain-error.js'
import type { InputRecord } from '../records/record.js'
import type { RecordOutcome } from '../records/record-span.js'

/** Longest input text that is repeated in the errors file, bytes. */
const MAX_REPEATED_BYTES = 2 ** 16

/** What an envelope calls the record: its key, or its number in the input from 1. */
function idOf(record: InputRecord): string | number {
  return record.key ?? record.seq + 1
}

/** A result with what happened to it; `line` is JSON already. */
export function envelopeLine(record: InputRecord, outcome: RecordOutcome): string {
  const id = JSON.stringify(idOf(record))
  const attempt = Math.max(record.attempts, 1)
  if (outcome.type === 'ok') {
    const ms = Number((outcome.runMs ?? 0).toFixed(3))
    return `{"id":${id},"ok":true,"value":${outcome.line},"attempt":${attempt},"ms":${ms}}`
  }
  const error = outcome.type === 'failed' ? outcome.error : { name: 'Error', message: 'skipped' }
  return `{"id":${id},"ok":false,"error":${JSON.stringify(error)},"attempt":${attempt}}`
}

/**
 * What the errors file says of a failed record: where it stands, why it failed, and its text, so that the failed
 * records can be mended and run again by themselves.
 */
export function errorLine(record: InputRecord, inputName: string, error: RecordError, text: Buffer): string {
  const { line, offset, attempts } = record
  const whole = text.length > 0 && text.length <= MAX_REPEATED_BYTES
  return JSON.stringify({
    id: idOf(record),
    file: inputName,
    line,
    offset,
    attempts,
    error,
    ...(whole ? { record: text.toString() } : {}),
  })
}
