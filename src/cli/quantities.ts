/** Parses and writes numbers with units. */

import { InvalidArgumentError } from 'commander'

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  '': 1000,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** `250ms`, `10s`, `2m`, `1h`, `1d`. A bare number is in seconds. */
export function parseDurationMs(text: string): number {
  const [, number, unit = ''] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d|)$/.exec(text) ?? []
  if (number === undefined) throw new InvalidArgumentError('expected a duration such as 250ms, 10s, 2m or 1h')
  return Number(number) * MS_PER_UNIT[unit]!
}

const POWERS = ['', 'k', 'm', 'g', 't']

/** `64M`, `64MB`, `64MiB`: all in powers of 1024. A bare number is in bytes. */
export function parseSizeBytes(text: string): number {
  const [, number, unit = ''] = /^([0-9]+(?:\.[0-9]+)?)([kmgt]?)(?:i?b)?$/.exec(text.toLowerCase()) ?? []
  if (number === undefined) throw new InvalidArgumentError('expected a size such as 512K, 16MiB or 1G')
  return Math.round(Number(number) * 1024 ** POWERS.indexOf(unit))
}

export function parseCount(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw new InvalidArgumentError('expected a whole number')
  return Number(text)
}

export function parseAmount(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('expected a number')
  return value
}

/** A number, or a percentage as a share of 1. */
export type CountOrShare = { readonly count: number } | { readonly share: number }

export function parseCountOrShare(text: string): CountOrShare {
  const [, number, percent] = /^([0-9]+(?:\.[0-9]+)?)(%?)$/.exec(text) ?? []
  if (number === undefined || (percent === '' && number.includes('.'))) {
    throw new InvalidArgumentError('expected a whole number or a percentage such as 50%')
  }
  return percent === '%' ? { share: Number(number) / 100 } : { count: Number(number) }
}

/** `100`, `100/s`, `30/m`, `1000/h`, as a number per second. */
export function parseRatePerSecond(text: string): number {
  const [, number, unit = 's'] = /^([0-9]+(?:\.[0-9]+)?)(?:\/(s|m|h))?$/.exec(text) ?? []
  if (number === undefined || Number(number) === 0) {
    throw new InvalidArgumentError('expected a rate such as 100/s, 30/m or 1000/h')
  }
  return (Number(number) * 1000) / MS_PER_UNIT[unit]!
}

export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(?:[0-9]{3})+$)/g, ',')
}

export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)}ms`
  const seconds = durationMs / 1000
  if (seconds < 60) return `${seconds.toFixed(1)}s`
  const whole = Math.round(seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  const rest = String(whole % 60).padStart(2, '0')
  return hours > 0 ? `${hours}h${String(minutes).padStart(2, '0')}m${rest}s` : `${minutes}m${rest}s`
}

/** One decimal below 100 per second, else a whole number. */
export function formatRate(perSecond: number): string {
  return perSecond >= 100 ? `${formatCount(perSecond)}/s` : `${perSecond.toFixed(1)}/s`
}
