import { availableParallelism } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuQuota, defaultParallelism, memoryLimitBytes, type ReadText } from '../../src/base/parallelism.js'

const tree =
  (files: Record<string, string>): ReadText =>
  (path) =>
    files[path]

const v2 = (max: string) => tree({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': max })

describe('default number of workers', () => {
  test.each([
    ['25000 100000', 1],
    ['125000 100000', 2],
    ['200000 100000', 2],
    ['max 100000', 8],
    ['3200000 100000', 8],
    ['50000', 1],
    ['', 8],
    ['nonsense', 8],
    ['0 100000', 8],
    ['-5 100000', 8],
    ['100000 0', 8],
  ])('a version 2 group with cpu.max %o on 8 CPUs gives %i', (max, expected) => {
    expect(defaultParallelism(v2(max), 8)).toBe(expected)
  })

  test.each([
    ['25000', 1],
    ['125000', 2],
    ['200000', 2],
    ['-1', 8],
  ])('a version 1 group with a quota of %s us gives %i', (quota, expected) => {
    for (const mount of ['cpu', 'cpu,cpuacct']) {
      const files = {
        '/proc/self/cgroup': '4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/system.slice\n',
        [`/sys/fs/cgroup/${mount}/docker/abc/cpu.cfs_quota_us`]: `${quota}\n`,
        [`/sys/fs/cgroup/${mount}/docker/abc/cpu.cfs_period_us`]: '100000\n',
      }
      expect(defaultParallelism(tree(files), 8)).toBe(expected)
    }
  })

  test('the host path of a container does not exist inside: the mount itself is the group', () => {
    const files = {
      '/proc/self/cgroup': '3:cpu,cpuacct:/docker/abc\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '150000\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    }
    expect(defaultParallelism(tree(files), 8)).toBe(2)
  })

  test('the tightest quota on the way to the root binds', () => {
    const files = {
      '/proc/self/cgroup': '0::/kubepods/pod1/box\n',
      '/sys/fs/cgroup/kubepods/pod1/box/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/kubepods/pod1/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/kubepods/cpu.max': '600000 100000\n',
    }
    expect(cpuQuota(tree(files))).toBe(1.5)
    expect(defaultParallelism(tree(files), 8)).toBe(2)
  })

  test('a group whose path holds a colon is found', () => {
    const files = { '/proc/self/cgroup': '0::/a:b\n', '/sys/fs/cgroup/a:b/cpu.max': '100000 100000' }
    expect(cpuQuota(tree(files))).toBe(1)
  })

  test('without control groups it is what the system says', () => {
    expect(cpuQuota(tree({}))).toBeUndefined()
    expect(defaultParallelism(tree({}), 3)).toBe(3)
    expect(defaultParallelism()).toBeGreaterThanOrEqual(1)
    expect(defaultParallelism()).toBeLessThanOrEqual(availableParallelism())
  })

  test('whatever the files say it is a whole number from 1 to the number of CPUs', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 1, max: 256 }), (groups, text, cpus) => {
        const read: ReadText = (path) => (path === '/proc/self/cgroup' ? groups : text)
        const workers = defaultParallelism(read, cpus)
        expect(Number.isInteger(workers) && workers >= 1 && workers <= cpus).toBe(true)
      }),
      { seed: 3 },
    )
  })
})

describe('memory limit', () => {
  test('the tightest limit of a version 2 group binds', () => {
    const files = {
      '/proc/self/cgroup': '0::/a/b\n',
      '/sys/fs/cgroup/a/b/memory.max': 'max\n',
      '/sys/fs/cgroup/a/memory.max': '268435456\n',
    }
    expect(memoryLimitBytes(tree(files), 8e9)).toBe(268_435_456)
  })

  test('a version 1 group without a limit has the memory of the machine', () => {
    const files = {
      '/proc/self/cgroup': '4:memory:/docker/abc\n',
      '/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes': '9223372036854771712\n',
    }
    expect(memoryLimitBytes(tree(files), 8e9)).toBe(8e9)
    expect(memoryLimitBytes(tree({ ...files, '/sys/fs/cgroup/memory/memory.limit_in_bytes': '1000000\n' }), 8e9)).toBe(
      1_000_000,
    )
  })

  test('without control groups it is the memory of the machine', () => {
    expect(memoryLimitBytes(tree({}), 8e9)).toBe(8e9)
    expect(memoryLimitBytes()).toBeGreaterThan(0)
  })
})
