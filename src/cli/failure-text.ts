/** A failed record as text for standard error: its place, its error, and the error's stack and causes. */

import { fileURLToPath } from 'node:url'
import { ownFolderUrl } from '../base/worker-urls.js'
import type { FailedRecord } from '../batch/options/batch-progress.js'
import { plainError, type RecordError } from '../records/plain-error.js'

/** The most lines of one failure. The file of --errors has all. */
const MAX_LINES = 30
/** The most stack frames of one error, without those of Node and evenkeel. */
const MAX_FRAMES = 4
const MAX_MESSAGE_CHARS = 1_000
/** The most listed errors of an aggregate. */
const MAX_LISTED = 5

/** The folder of evenkeel's own files, whose frames are left out. */
const OWN_FILES = fileURLToPath(ownFolderUrl)

/** One line for the record and its error. Below it, indented: stack, causes, listed errors and earlier tries. */
export function failureText({ input, line, offset, attempts, error }: FailedRecord): string {
  const tries = attempts > 1 ? ` after ${attempts} tries` : ''
  const lines = errorLines(`failed${tries}: ${input}, line ${line}, byte ${offset}: `, error, '')
  const kept = lines.slice(0, MAX_LINES)
  if (lines.length > MAX_LINES) kept.push(`  and ${lines.length - MAX_LINES} lines more; --errors FILE keeps them`)
  return kept.join('\n')
}

/** An error that ends the command: its message, and the places in the user's module that caused it. */
export function endingText(message: string, error: unknown): string {
  const { cause } = plainError(error)
  const hasPlace = (error as { code?: unknown }).code === 'EVENKEEL_MODULE_LOAD' && framesOf(cause?.stack).length > 0
  // The message includes that of the cause.
  const lines = hasPlace ? errorLines('', cause!, '').slice(1, MAX_LINES) : []
  return [`error: ${message}`, ...lines].join('\n')
}

function errorLines(lead: string, error: RecordError, indent: string): string[] {
  const { name, message, code, stack, cause, errors = [], earlier = [] } = error
  const inner = `${indent}  `
  const [first = '', ...rest] = message.slice(0, MAX_MESSAGE_CHARS).split('\n')
  const tail = message.length > MAX_MESSAGE_CHARS ? '…' : ''
  const codeText = code === undefined ? '' : ` (${code})`
  const lines = [`${indent}${lead}${name}: ${first}${rest.length === 0 ? tail : ''}${codeText}`]
  for (const [index, text] of rest.entries()) lines.push(`${inner}| ${text}${index === rest.length - 1 ? tail : ''}`)
  for (const frame of framesOf(stack)) lines.push(`${inner}  ${frame}`)
  for (const [index, listed] of errors.slice(0, MAX_LISTED).entries()) {
    lines.push(...errorLines(`errors[${index}]: `, listed, inner))
  }
  if (errors.length > MAX_LISTED) lines.push(`${inner}and ${errors.length - MAX_LISTED} more errors`)
  if (cause !== undefined) lines.push(...errorLines('caused by: ', cause, inner))
  for (const [index, before] of earlier.entries())
    lines.push(...errorLines(`earlier try ${index + 1}: `, before, inner))
  return lines
}

function framesOf(stack = ''): string[] {
  const isTheirs = (line: string): boolean => !/node:internal|\(<anonymous>\)$/.test(line) && !line.includes(OWN_FILES)
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && isTheirs(line))
  return frames.slice(0, MAX_FRAMES).map((line) => line.trim())
}
