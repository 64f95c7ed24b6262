import { expect, test, vi } from 'vitest'
import { ProcessFigures } from '../../../src/dispatcher/watch/overload.js'

const sample = vi.fn(async (_pid: number) => ({ cpu: 50, memory: 1_000 }))
vi.mock('pidusage', () => ({ default: (pid: number) => sample(pid) }))
vi.mock('../../../src/base/parallelism.js', () => ({ defaultParallelism: () => 2, memoryLimitBytes: () => 4_000 }))

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('the figures are shares, sampled in the background at most once a second', async () => {
  const figures = new ProcessFigures()
  expect(figures.read(0)).toEqual({ cpuShare: 0, memoryShare: 0 })
  await vi.waitFor(() => expect(figures.read(10)).toEqual({ cpuShare: 0.25, memoryShare: 0.25 }))
  for (const nowMs of [20, 500, 999]) figures.read(nowMs)
  expect(sample).toHaveBeenCalledTimes(1)
  expect(sample).toHaveBeenCalledWith(process.pid)
  sample.mockResolvedValueOnce({ cpu: 200, memory: 2_000 })
  figures.read(1_000)
  await turn()
  await vi.waitFor(() => expect(figures.read(1_001)).toEqual({ cpuShare: 1, memoryShare: 0.5 }))
  expect(sample).toHaveBeenCalledTimes(2)
})

test('a sample that fails leaves the last reading, and the next is taken as usual', async () => {
  const figures = new ProcessFigures()
  sample.mockRejectedValueOnce(new Error('no /proc'))
  figures.read(0)
  await vi.waitFor(() => {
    figures.read(5_000)
    expect(figures.read(5_001).cpuShare).toBe(0.25)
  })
})

test('while a slow sample is under way no other is started', async () => {
  const figures = new ProcessFigures()
  sample.mockClear()
  let end: (reading: { cpu: number; memory: number }) => void = () => {}
  sample.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        end = resolve
      }),
  )
  figures.read(0)
  await vi.waitFor(() => expect(sample).toHaveBeenCalledTimes(1))
  for (const nowMs of [1_000, 2_000, 3_000]) figures.read(nowMs)
  await turn()
  expect(sample).toHaveBeenCalledTimes(1)
  end({ cpu: 100, memory: 4_000 })
  await vi.waitFor(() => expect(figures.read(3_001)).toEqual({ cpuShare: 0.5, memoryShare: 1 }))
})
