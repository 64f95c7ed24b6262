import { describe, expect, test } from 'vitest'
import { boardOf } from '../../src/board/layout.js'
import { RowReader } from '../../src/board/row-reader.js'
import { RowWriter } from '../../src/board/row-writer.js'

function newRow() {
  const board = boardOf()
  return { writer: new RowWriter(board.row), reader: new RowReader(boardOf(board.buffer).row) }
}

describe('RowWriter', () => {
  test('starts idle, with nobody running and nobody to blame', () => {
    const { reader } = newRow()
    expect(reader.active).toBe(false)
    expect(reader.running).toBe(-1)
    expect(reader.culprit).toBe(0)
    expect(reader.started).toBe(0)
  })

  test('going active counts as a sign of life of every kind', () => {
    const { writer, reader } = newRow()
    writer.active(5_000)
    expect(reader.active).toBe(true)
    const later = 5_030
    expect([reader.beatAgeMs(later), reader.cpuProgressAgeMs(later), reader.ioProgressAgeMs(later)]).toEqual([
      30, 30, 30,
    ])
  })

  test('keeps the progress of CPU and I/O tasks apart', () => {
    const { writer, reader } = newRow()
    writer.active(1_000)
    writer.stamp('io', 1_040)
    const now = 1_050
    expect(reader.cpuProgressAgeMs(now)).toBe(50)
    expect(reader.ioProgressAgeMs(now)).toBe(10)
    writer.stamp('cpu', 1_045)
    expect(reader.cpuProgressAgeMs(now)).toBe(5)
    expect(reader.beatAgeMs(now)).toBe(50)
  })

  test('reports lag and depths with a beat, and nothing waiting on going idle', () => {
    const { writer, reader } = newRow()
    writer.active(0)
    writer.report(100, 12.5, 3, 4)
    expect([reader.reportedLagMs, reader.reportedCpu, reader.reportedIo]).toEqual([12.5, 3, 4])
    expect(reader.beatAgeMs(110)).toBe(10)
    writer.idle(120)
    expect(reader.active).toBe(false)
    expect([reader.reportedLagMs, reader.reportedCpu, reader.reportedIo]).toEqual([0, 0, 0])
  })

  test('counts starts, names the running task and the culprit', () => {
    const { writer, reader } = newRow()
    writer.countStart()
    writer.countStart()
    writer.running(17)
    writer.culprit(-1)
    expect([reader.started, reader.running, reader.culprit]).toEqual([2, 17, -1])
  })

  test('tells the heap in whole KiB, also one without a limit', () => {
    const { writer, reader } = newRow()
    writer.heap(10 * 1024 * 1024 + 1, 2 ** 44)
    expect(reader.heapUsedBytes).toBe(10 * 1024 * 1024)
    expect(reader.heapLimitBytes).toBe((2 ** 31 - 1) * 1024)
  })
})
