import { expect, it } from 'vitest'
import { createRegistry } from './registry.js'

it('prints counters, gauges and histograms in the Prometheus format', async () => {
  const registry = createRegistry()
  const requests = registry.counter('requests_total', 'Requests.')
  const seconds = registry.histogram('request_seconds', 'How long.', [0.1, 1])
  registry.reading('up', 'gauge', 'Always.', () => 1)
  registry.reading('lost', 'gauge', 'Never.', () =>
    Promise.reject(new Error('The database is away.')),
  )
  const tasks = [
    { labels: { state: 'busy' }, value: 2 },
    { labels: { state: 'waiting' }, value: 0 },
  ]
  registry.reading('tasks', 'gauge', 'Tasks.', async () => tasks)
  requests({ status: '200' })
  requests({ status: '200' }, 2)
  requests({ status: '404' })
  for (const value of [0.05, 0.1, 0.5, 7]) seconds({ operation: 'a' }, value)

  expect(await registry.print()).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{status="200"} 3
requests_total{status="404"} 1
# HELP request_seconds How long.
# TYPE request_seconds histogram
request_seconds_bucket{operation="a",le="0.1"} 2
request_seconds_bucket{operation="a",le="1"} 3
request_seconds_bucket{operation="a",le="+Inf"} 4
request_seconds_sum{operation="a"} 7.65
request_seconds_count{operation="a"} 4
# HELP up Always.
# TYPE up gauge
up 1
# HELP lost Never.
# TYPE lost gauge
# HELP tasks Tasks.
# TYPE tasks gauge
tasks{state="busy"} 2
tasks{state="waiting"} 0
`)
})

it('escapes label values', async () => {
  const registry = createRegistry()
  registry.counter('c', 'C.')({ name: 'a"} 1\n\\' })
  expect(await registry.print()).toContain(String.raw`c{name="a\"} 1\n\\"} 1`)
})
