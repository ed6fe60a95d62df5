import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMetrics } from '../../platform/telemetry/metrics.js'
import { createRecentErrors } from '../../platform/telemetry/log.js'
import { createRegistry } from '../../platform/telemetry/registry.js'
import { openProcessLease } from '../../domain/ledger/process-lease.js'
import { openEmptyDatabase } from '../../../test/empty-database.js'
import { createProcessReports, parseSamples, type ProcessReports } from './process-reports.js'

const startedAt = Date.parse('2026-01-02T03:04:05Z')
let database: Awaited<ReturnType<typeof openEmptyDatabase>>
beforeAll(async () => {
  database = await openEmptyDatabase()
})
afterAll(() => database.close())

type Process = ProcessReports & {
  readonly metrics: ReturnType<typeof createMetrics>
  readonly errors: ReturnType<typeof createRecentErrors>
  readonly clock: { time: number }
  isReady: boolean
}

async function startProcess(id: string): Promise<Process> {
  await openProcessLease(database, id, false)
  const clock = { time: startedAt }
  const now = () => clock.time
  const metrics = createMetrics(startedAt)
  const errors = createRecentErrors(now)
  const started: Process = {
    ...createProcessReports({
      database,
      processId: id,
      process: `host-${id} 1`,
      startedAt,
      ready: async () => ({
        ready: started.isReady,
        checks: { database: started.isReady ? 'ok' : 'failed' },
      }),
      metrics,
      errors,
      now,
    }),
    metrics,
    errors,
    clock,
    isReady: true,
  }
  return started
}

it('shows the health and errors of live processes only', async () => {
  const [first, second, dead] = await Promise.all(['a', 'b', 'c'].map(startProcess))
  if (!first || !second || !dead) throw new Error('Three processes were started.')
  second.isReady = false
  second.metrics.backendCall({ backend: 'chat', outcome: 'ok', ms: 500 })
  second.metrics.backendCall({ backend: 'chat', outcome: 'failed', ms: 1500 })
  second.metrics.troubled('database')
  second.metrics.upstreamCall({ capability: 'chat', upstream: 'one', outcome: 'ok', ms: 250 })
  for (const [name, value] of [
    ['in_flight', 3],
    ['healthy', 1],
    ['circuit_open', 0.5],
  ] as const)
    second.metrics.reading(`farebox_upstream_${name}`, 'gauge', 'A state.', () => [
      { labels: { capability: 'chat', upstream: 'one' }, value },
    ])
  first.errors.troubled('chat', new Error('the first'))
  second.clock.time += 1000
  second.errors.crashed(new Error('the second'), { requestId: 'r2' })
  await second.publish()
  await dead.publish()
  await database.query(
    `update process set alive_until = now() - interval '1 second' where id = 'c'`,
  )

  const [own, other, ...more] = await first.list()
  expect(more).toEqual([])
  expect(own).toMatchObject({ process: 'host-a 1', ready: true, backends: [], upstreams: [] })
  expect(other).toEqual({
    id: 'b',
    process: 'host-b 1',
    startedAt: '2026-01-02T03:04:05.000Z',
    reportedAt: '2026-01-02T03:04:06.000Z',
    ready: false,
    checks: { database: 'failed' },
    backends: [{ backend: 'chat', outcomes: { ok: 1, failed: 1 }, meanSeconds: 1 }],
    upstreams: [
      {
        capability: 'chat',
        upstream: 'one',
        state: 'circuit-half-open',
        inFlight: 3,
        outcomes: { ok: 1 },
        meanSeconds: 0.25,
      },
    ],
    troubles: expect.objectContaining({ database: 1 }) as unknown,
  })
  const facts = (await first.listErrors()).map(({ process, message }) => [process, message])
  expect(facts).toEqual([
    ['host-b 1', 'the second'],
    ['host-a 1', 'the first'],
  ])
  expect((await first.listErrors('r2')).map(({ message }) => message)).toEqual(['the second'])
})

it('parses the output of the registry', async () => {
  const registry = createRegistry()
  registry.counter('farebox_upstream_troubles_total', 'Troubles.')(
    { upstream: 'a "b"\n\\c', other: 'x' },
    3,
  )
  registry.counter('farebox_charges_total', 'Charges.')({}, 1)
  expect(parseSamples(await registry.print(), /^farebox_upstream_/)).toEqual([
    {
      name: 'farebox_upstream_troubles_total',
      labels: { upstream: 'a "b"\n\\c', other: 'x' },
      value: 3,
    },
  ])
})
