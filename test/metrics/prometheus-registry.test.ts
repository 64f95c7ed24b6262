import { Counter, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { FamilyMaker, writeText } from '../../src/metrics/exposition.js'
import { register } from '../../src/metrics/prometheus-registry.js'
import { countsOf } from './observed.js'

function familiesOf(pool: string, tasks = 1) {
  const make = new FamilyMaker(pool)
  return [
    make.counter('tasks_total', 'Tasks.', [[{ outcome: 'ok' }, tasks]]),
    make.gauge('load', 'Load.', [0.5]),
    make.histogram('wait_seconds', 'Wait.', [[{ task: 'a' }, countsOf([1, 2, 3], 60_000)]]),
  ]
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

test('a scrape of the registry brings what the text of the pool alone has', async () => {
  const registry = new Registry()
  register(registry, () => familiesOf('a'))
  expect(linesOf(await registry.metrics())).toEqual(linesOf(writeText(familiesOf('a'), 'prometheus')))
})

test('a registry for OpenMetrics gets counters under names it understands', async () => {
  const registry = new Registry()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never)
  register(registry, () => familiesOf('a'))
  for (let scrape = 0; scrape < 2; scrape++) {
    const text = await registry.metrics()
    expect(text).toContain('# TYPE evenkeel_tasks counter')
    expect(text).toContain('evenkeel_tasks_total{')
    expect(text).not.toContain('_total_total')
  }
})

test('a scrape reads each pool once, and the next reads it anew', async () => {
  const registry = new Registry()
  let reads = 0
  register(registry, () => familiesOf('a', ++reads))
  const before = reads
  await registry.metrics()
  expect(reads).toBe(before + 1)
  expect(await registry.metrics()).toContain(`outcome="ok"} ${before + 2}`)
})

test('pools share a registry, and the metrics leave it with the last of them', async () => {
  const registry = new Registry()
  const removeA = register(registry, () => familiesOf('a'))
  const removeB = register(registry, () => familiesOf('b'))
  expect(await registry.metrics()).toMatch(/pool="a".*pool="b"/s)
  removeA()
  expect(await registry.metrics()).not.toContain('pool="a"')
  removeB()
  expect(registry.getMetricsAsArray()).toEqual([])
  register(registry, () => familiesOf('c'))
  expect(await registry.metrics()).toContain('pool="c"')
})

test('a name that the app has taken is refused, and nothing of the pool stays behind', async () => {
  const registry = new Registry()
  new Counter({ name: 'evenkeel_wait_seconds', help: 'Mine.', registers: [registry] })
  expect(() => register(registry, () => familiesOf('a'))).toThrow(/already been registered/)
  expect(registry.getMetricsAsArray().map(({ name }) => name)).toEqual(['evenkeel_wait_seconds'])
})

test('resetting the registry leaves the pool its counts', async () => {
  const registry = new Registry()
  register(registry, () => familiesOf('a', 5))
  registry.resetMetrics()
  expect(await registry.metrics()).toContain('outcome="ok"} 5')
})
