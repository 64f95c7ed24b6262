import { expect, test } from 'vitest'
import {
  formatCount,
  formatDuration,
  formatRate,
  parseAmount,
  parseCount,
  parseCountOrShare,
  parseDurationMs,
  parseRatePerSecond,
  parseSizeBytes,
} from '../../src/cli/quantities.js'

test('durations and sizes are read with their units', () => {
  expect(['250ms', '10', '1.5s', '2m', '1h', '1d'].map(parseDurationMs)).toEqual([
    250, 10_000, 1500, 120_000, 3_600_000, 86_400_000,
  ])
  expect(['100', '1k', '1K', '2MiB', '2mb', '1G', '0.5m'].map(parseSizeBytes)).toEqual([
    100, 1024, 1024, 2_097_152, 2_097_152, 1_073_741_824, 524_288,
  ])
})

test('counts, shares and rates', () => {
  expect([parseCount('0'), parseAmount('1.5')]).toEqual([0, 1.5])
  expect(['7', '50%', '12.5%'].map(parseCountOrShare)).toEqual([{ count: 7 }, { share: 0.5 }, { share: 0.125 }])
  expect(['100', '100/s', '30/m', '3600/h'].map(parseRatePerSecond)).toEqual([100, 100, 0.5, 1])
})

test('anything else is refused', () => {
  for (const [parse, texts] of [
    [parseDurationMs, ['', 's', '-1s', '1x', '1 s']],
    [parseSizeBytes, ['', 'M', '-1', '1X', '1 M']],
    [parseCount, ['', '-1', '1.5', '1e3']],
    [parseAmount, ['', '-1', 'x', 'Infinity']],
    [parseCountOrShare, ['', '1.5', '-1%', 'x%']],
    [parseRatePerSecond, ['', '0', '5/d', '-1']],
  ] as const) {
    for (const text of texts) expect(() => parse(text)).toThrow('expected')
  }
})

test('figures are written for people', () => {
  expect([0, 999, 1000, 1234567].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567'])
  expect([5, 999, 1500, 59_900, 61_000, 3_725_000].map(formatDuration)).toEqual([
    '5ms',
    '999ms',
    '1.5s',
    '59.9s',
    '1m01s',
    '1h02m05s',
  ])
  expect([0, 12.34, 512.6, 45_123].map(formatRate)).toEqual(['0.0/s', '12.3/s', '513/s', '45,123/s'])
})
