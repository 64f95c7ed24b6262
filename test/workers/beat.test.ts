import { describe, expect, test } from 'vitest'
import { BEAT_PERIOD_MS, boardOf } from '../../src/board/layout.js'
import { RowReader } from '../../src/board/row-reader.js'
import { RowWriter } from '../../src/board/row-writer.js'
import { Beat } from '../../workers/beat.js'
import { FakeClock } from '../support/fake-clock.js'

function newBeat() {
  const clock = new FakeClock()
  const { row } = boardOf()
  const depths = { cpuDepth: 0, ioDepth: 0 }
  const writer = new RowWriter(row)
  const beat = new Beat(writer, clock, depths)
  return {
    writer,
    clock,
    depths,
    beat,
    reader: new RowReader(row),
    age: (reader: RowReader) => reader.beatAgeMs(clock.nowMs()),
  }
}

describe('Beat', () => {
  test('is silent while idle: no timer runs', () => {
    const { clock, reader } = newBeat()
    expect(clock.timers).toBe(0)
    expect(reader.active).toBe(false)
  })

  test('starts once when work comes, and says what waits', () => {
    const { clock, beat, depths, reader, age } = newBeat()
    beat.wake()
    beat.wake()
    expect(clock.timers).toBe(1)
    expect(reader.active).toBe(true)
    Object.assign(depths, { cpuDepth: 3, ioDepth: 2 })
    clock.advance(BEAT_PERIOD_MS)
    expect(reader.heapUsedBytes).toBeGreaterThan(0)
    expect(reader.heapLimitBytes).toBeGreaterThan(reader.heapUsedBytes)
    expect([reader.reportedCpu, reader.reportedIo, reader.reportedLagMs]).toEqual([3, 2, 0])
    clock.advance(5)
    expect(age(reader)).toBe(5)
  })

  test('tells how late it came', () => {
    const { clock, beat, depths, reader } = newBeat()
    beat.wake()
    depths.cpuDepth = 1
    clock.block(95)
    clock.advance(0)
    expect(reader.reportedLagMs).toBe(75)
    clock.advance(BEAT_PERIOD_MS)
    expect(reader.reportedLagMs).toBe(0)
  })

  test('ends after a period without work, and starts again', () => {
    const { clock, beat, reader } = newBeat()
    beat.wake()
    beat.worked = true
    clock.advance(BEAT_PERIOD_MS)
    // It has worked since the last beat.
    expect(reader.active).toBe(true)
    clock.advance(BEAT_PERIOD_MS)
    expect(reader.active).toBe(false)
    expect(clock.timers).toBe(0)
    beat.wake()
    expect([reader.active, clock.timers]).toEqual([true, 1])
  })

  test('goes on while anything runs, however long', () => {
    const { clock, beat, depths, reader } = newBeat()
    beat.wake()
    depths.ioDepth = 1
    clock.advance(100 * BEAT_PERIOD_MS)
    expect(reader.active).toBe(true)
    depths.ioDepth = 0
    clock.advance(2 * BEAT_PERIOD_MS)
    expect(reader.active).toBe(false)
  })

  test('says how large the heap is when it ends, so that an idle worker tells no old size', () => {
    const { clock, beat, reader, writer } = newBeat()
    beat.wake()
    beat.worked = true
    clock.advance(BEAT_PERIOD_MS)
    // What was read before is overwritten: only a new reading can be right.
    writer.heap(1, 1)
    clock.advance(BEAT_PERIOD_MS)
    expect(reader.active).toBe(false)
    expect(reader.heapUsedBytes).toBeGreaterThan(1_000_000)
  })
})
