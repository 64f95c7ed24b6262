/** Errors of options, told in the words of the command line. */

/** Flags whose options have other names in the library. */
const FLAGS: Readonly<Record<string, string>> = {
  maxRecordBytes: '--max-line',
  groupSize: '--batch',
  perSecond: '--rate',
  orderSpan: '--order-span',
  workers: '--threads',
  'workers.max': '--threads',
  ioWindow: '--concurrency',
  'retries.times': '--retries',
  'retries.delayMs': '--retry-delay',
  'retries.factor': '--retry-factor',
  'retries.jitter': '--retry-jitter',
  'sample.count': '--sample',
  resumeAnyway: '--resume-anyway',
}

/** Flags that are called like their options. */
const ALIKE = ['sample', 'key', 'delimiter', 'skip', 'limit', 'total', 'seed']

/** The message of an error of the library, with the flag in place of the option's name. */
export function messageInFlags(error: Error): string {
  const { message } = error
  const { option } = error as { option?: unknown }
  if (typeof option !== 'string' || !message.startsWith(`${option}: `)) return message
  const flag = Object.hasOwn(FLAGS, option) ? FLAGS[option] : ALIKE.includes(option) ? `--${option}` : undefined
  return flag === undefined ? message : flag + message.slice(option.length)
}
