/**
 * What the batch run and its built-in task `workers/tasks/map-record` agree on: how a record is named by one
 * number, and what the threads are told at start.
 *
 * The text of records lies in one shared arena, cut into blocks. A record never crosses a block's border, so
 * its place is (block, offset, length). These three fit one safe integer: 2^45 at most, which structured clone
 * writes as a single double. A task whose payload is one number costs nothing to take back and post again.
 */

import type { RecordError } from './plain-error.js'

/** Blocks are 256 KiB: about 5,000 records of 50 bytes, and a hundredth of a second of reading at 25 MB/s. */
export const BLOCK_SIZE_BYTES = 2 ** 18

/** A record may fill a whole block, so its length needs one value more than 18 bits hold. */
const LENGTH_SPAN = 2 ** 19

/** The place of a record in the arena, as one number. */
export function recordAddress(startByte: number, lengthBytes: number): number {
  return startByte * LENGTH_SPAN + lengthBytes
}

export function addressStart(address: number): number {
  return Math.floor(address / LENGTH_SPAN)
}

export function addressLength(address: number): number {
  return address % LENGTH_SPAN
}

/** A record larger than a block travels in a buffer of its own. */
export interface OwnRecord {
  readonly bytes: SharedArrayBuffer
}

export type RecordPlace = number | OwnRecord

/** How the text of a record becomes the argument of the task. */
export type RecordDecoding = 'json' | 'text'

/** How a result becomes a line: `text` writes strings bare and everything else as JSON. */
export type ResultEncoding = 'json' | 'text'

/** What every thread of a batch run gets as its `workerData`. */
export interface RecordTaskSetup {
  readonly arena: SharedArrayBuffer
  readonly stretches: SharedArrayBuffer
  /** URL of the user's module. */
  readonly module: string
  /** Name of the export, or `undefined`: `default`, or the only task of the module. */
  readonly task: string | undefined
  readonly decoding: RecordDecoding
  readonly encoding: ResultEncoding
  /** True: every call gets an array of records and answers with an array of equal length. */
  readonly grouped: boolean
  /** True: answers carry the run time. */
  readonly timed: boolean
  /** The byte behind each result. */
  readonly separator: number
  /** True: run the task as an I/O task whatever its module says. */
  readonly concurrent: boolean
}

/** Why a record could not be turned into an argument. */
export type RecordFault = 'utf8' | 'json' | 'depth'

/** An answer that is not a plain line. */
export interface RecordNote {
  /** The encoded result; missing when the record failed. */
  readonly line?: string
  /** Run time of the call, milliseconds; only when timed. */
  readonly runMs?: number
  /** The record itself is bad. */
  readonly fault?: RecordFault
  readonly message?: string
  /** Numbers that JSON.parse changed, or text that could not be written as it was. */
  readonly warning?: 'number' | 'surrogate'
  /** An error of one record of a group, already plain. */
  readonly error?: RecordError
}

/** What a stretch is sent as: its slot in the stretch memory, how many records it has, and the slot's turn. */
export type StretchPayload = readonly [slot: number, count: number, turn: number]

/** What a stretch answers: every record whose result is not a plain line in shared memory, by its index. */
export type StretchAnswer = 0 | readonly (readonly [index: number, answer: RecordAnswer])[]

export type RecordAnswer = string | RecordNote
