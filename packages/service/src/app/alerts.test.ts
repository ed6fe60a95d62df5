import fs, { mkdtemp, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, afterAll, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { startFakeFacilitator, type FakeFacilitator } from '../../test/fake-facilitator.js'
import { adminKey, startService, type Harness, type HarnessOptions } from '../../test/harness.js'
import { scripts, startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'
import { createUpstreams } from './create-upstreams.js'
import { createTextParser, type TextParser } from '../domain/text/text-parser.js'
import { parseSamples, type Sample } from '../http/operator-api/process-reports.js'
import type { Database } from '../platform/database/database.js'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}

const file = new URL('../../deploy/observability/alerts.yaml', import.meta.url)
const { rules } = (
  parse(readFileSync(file, 'utf8')) as {
    readonly groups: readonly [{ readonly rules: readonly Rule[] }]
  }
).groups[0]

const asAdmin = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
const speech = { model: 'tts-kokoro', voice: 'af_sky', input: 'The tram is late.' }
let busyParser: TextParser
/** A worker that is ready, and never done. */
const endless = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', () => undefined)
    parentPort.postMessage({ kind: 'ready' })`)}`,
)

let upstream: ScriptedUpstream
let facilitator: FakeFacilitator
let farebox: Harness
let server: Server
/** Milliseconds that the service measures with. */
let ticks: number
/** What its database does instead of a statement. */
let fault: (() => Promise<never>) | undefined
/** How far its database's clock is ahead of this machine's. */
let databaseAheadMs: number
let data: string

beforeAll(async () => {
  upstream = await startScripted()
  facilitator = await startFakeFacilitator()
  data = await mkdtemp(join(tmpdir(), 'farebox-alerts-'))
})
afterAll(async () => {
  upstream.close()
  await facilitator.close()
  await rm(data, { recursive: true })
})
async function start(options: HarnessOptions = {}) {
  const engine = await openEmptyDatabase()
  const query = async (sql: string, params?: readonly unknown[]) => {
    if (sql.includes('clock_timestamp'))
      return [{ now: new Date(Date.now() + databaseAheadMs) }] as never
    return engine.query(sql, params) as never
  }
  const database: Database = {
    ...engine,
    query: (...statement) => fault?.() ?? query(...statement),
  }
  const breaker = { failures: 5, openMs: 600_000 }
  const upstreams = createUpstreams([
    { name: 'a', capability: 'speech', url: `${upstream.origin}/v1`, retries: 0, breaker },
  ])
  farebox = await startService({ database, upstreams, ticks: () => ticks, ...options })
  server = createServer(
    (_request, response) => void farebox.metrics().then((page) => response.end(page)),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

/** A minute after the last scrape. */
async function scrape(): Promise<readonly Sample[]> {
  farebox.clock.time += 60_000
  const { port } = (server.address() ?? { port: 1 }) as AddressInfo
  const page = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } }).then(
    (response) => response.text(),
    () => undefined,
  )
  const up = { name: 'up', labels: {}, value: page === undefined ? 0 : 1 }
  return [up, ...parseSamples(page ?? '', /./)]
}

/** The sum of the samples with the labels. NaN, which exceeds no threshold, if there are none. */
type Sum = (metric: string, labels?: Readonly<Record<string, string | RegExp>>) => number

function sumOver(samples: readonly Sample[]): Sum {
  return (metric, wanted = {}) => {
    const values = samples
      .filter(
        ({ name, labels }) =>
          name === metric &&
          Object.entries(wanted).every(([label, value]) =>
            typeof value === 'string' ? labels[label] === value : value.test(labels[label] ?? ''),
          ),
      )
      .map(({ value }) => value)
    return values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0)
  }
}

/** The cases whose reading exceeds their threshold. */
function findRaisedAlerts(samples: readonly Sample[]): readonly string[] {
  const sum = sumOver(samples)
  return Object.entries(cases)
    .filter(([, { reads, exceeds }]) => reads(sum) > exceeds)
    .map(([alert]) => alert)
}

const speak = async (times = 1) => {
  for (let count = 0; count < times; count++)
    await farebox.call('createSpeech', '/audio/speech', {
      method: 'POST',
      headers: asAdmin,
      body: JSON.stringify(speech),
    })
}
const parseText = async () => {
  const body = new FormData()
  body.append('file', new Blob(['Tram fares']), 'a.txt')
  const init = { method: 'POST', body, headers: { authorization: asAdmin.authorization } }
  await farebox.call('parseText', '/augment/text-parser', init)
}
const runUpkeep = async () => {
  farebox.clock.time += 400_000
  await vi.advanceTimersByTimeAsync(60_000)
}

type Case = {
  /** What the rule reads from a scrape. */
  readonly reads: (sum: Sum) => number
  readonly exceeds: number
  readonly options?: () => HarnessOptions
  readonly before?: () => Promise<unknown>
  readonly fault: () => Promise<unknown>
}

/** A fault for each rule. */
const cases: Readonly<Record<string, Case>> = {
  FareboxDown: {
    reads: (sum) => 1 - sum('up'),
    exceeds: 0,
    fault: async () => server.close(),
  },
  FareboxErrors: {
    reads: (sum) => sum('farebox_requests_total', { status: /^5/ }) / sum('farebox_requests_total'),
    exceeds: 0.05,

    fault: async () => {
      upstream.script = scripts['responds 401']
      await speak(2)
      await scrape()
      await speak(2)
    },
  },
  FareboxCrashes: {
    reads: (sum) => sum('farebox_crashes_total'),
    exceeds: 0,

    options: () => ({
      textParser: {
        parse: () => Promise.reject(new Error('a fault of its own')),
        close: async () => undefined,
      },
    }),
    fault: parseText,
  },
  FareboxSlow: {
    reads: (sum) =>
      sum('farebox_request_duration_seconds_bucket', { le: '+Inf' }) -
      sum('farebox_request_duration_seconds_bucket', { le: '5' }),
    exceeds: 0,

    fault: async () => {
      upstream.script = (response) => {
        ticks += 9_000
        scripts.ok(response)
      }
      await speak(3)
    },
  },
  FareboxDatabaseUnavailable: {
    reads: (sum) => 1 - sum('farebox_database_up'),
    exceeds: 0,

    fault: async () => {
      fault = () => Promise.reject(new Error('Connection terminated unexpectedly'))
    },
  },
  FareboxClockWrong: {
    reads: (sum) => sum('farebox_clock_skew_seconds'),
    exceeds: 30,

    options: () => ({ databaseTime: true }),
    fault: async () => {
      databaseAheadMs = -172_800_000
      await runUpkeep()
    },
  },
  FareboxUpstreamCircuitOpen: {
    reads: (sum) => sum('farebox_upstream_circuit_open'),
    exceeds: 0,

    fault: async () => {
      upstream.script = scripts['responds 503']
      await speak(5)
    },
  },
  FareboxUpstreamFails: {
    reads: (sum) => sum('farebox_upstream_troubles_total', { upstream: 'speech' }),
    exceeds: 3,

    fault: async () => {
      upstream.script = scripts['responds with a page']
      await speak(4)
    },
  },
  FareboxWorkUnpaid: {
    reads: (sum) => sum('farebox_unpaid_cost_usd_total'),
    exceeds: 1,

    options: () => ({
      upstreams: createUpstreams([
        {
          name: 'a',
          capability: 'speech',
          url: `${upstream.origin}/v1`,
          retries: 0,
          cost: { usdPerMillionCharacters: 100_000 },
        },
      ]),
    }),
    fault: async () => {
      upstream.script = scripts['responds 500']
      await speak()
      await scrape()
      await speak()
    },
  },
  FareboxSettlementsFail: {
    reads: (sum) => sum('farebox_upstream_troubles_total', { upstream: 'facilitator' }),
    exceeds: 0,

    options: () => ({ facilitator: { url: facilitator.url } }),
    fault: async () => {
      facilitator.script.push({ status: 500, body: {} })
      const wallet = await farebox.richWallet()
      const headers = { 'payment-signature': await farebox.pay(wallet) }
      await farebox.call('topUp', '/x402/top-up', { method: 'POST', headers })
    },
  },
  FareboxLedgerFault: {
    reads: (sum) => sum('farebox_ledger_faults'),
    exceeds: 0,

    fault: async () => {
      await farebox.database.query(
        `update account set balance = balance + 1 where name = 'key:admin'`,
      )
      vi.advanceTimersByTime(60_000)
      await expect.poll(() => farebox.metrics()).toMatch(/^farebox_ledger_faults 1$/m)
    },
  },
  FareboxUpkeepBehind: {
    reads: (sum) =>
      farebox.clock.time / 1000 -
      sum('farebox_upkeep_success_timestamp_seconds', { task: 'audit' }),
    exceeds: 300,

    before: async () => {
      await runUpkeep()
      await expect
        .poll(
          async () =>
            (await farebox.metrics()).match(/timestamp_seconds\{task="audit"\} (\d+)/)?.[1],
        )
        .toBe(String(farebox.clock.time / 1000))
    },
    fault: async () => {
      fault = () => Promise.reject(new Error('a statement fails'))
      await runUpkeep()
      fault = undefined
    },
  },
  FareboxDiskLow: {
    reads: (sum) => 1 - sum('farebox_data_free_bytes') / sum('farebox_data_size_bytes'),
    exceeds: 0.9,

    options: () => ({ data }),
    fault: async () => {
      const nearlyFull = Object.assign(await fs.statfs(data), {
        bsize: 4096,
        blocks: 1000,
        bavail: 99,
      })
      vi.spyOn(fs, 'statfs').mockImplementation(async () => nearlyFull)
      syncBuiltinESMExports()
    },
  },
  FareboxWorkersBehind: {
    reads: (sum) => sum('farebox_worker_tasks', { pool: 'text', state: 'waiting' }),
    exceeds: 10,

    options: () => ({ textParser: busyParser }),
    fault: async () => {
      for (let count = 0; count < 12; count++) void parseText()
      await expect
        .poll(() => farebox.metrics())
        .toMatch(/^farebox_worker_tasks\{pool="text",state="waiting"\} 11$/m)
    },
  },
  FareboxVideosWait: {
    reads: (sum) => sum('farebox_video_jobs', { state: 'queued' }),
    exceeds: 10,

    options: () => ({
      videosAtOnce: 1,
      video: {
        name: 'test',
        render: (_order, signal) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(new Error('stopped'))),
          ),
      },
    }),
    fault: async () => {
      const body = JSON.stringify({
        model: 'local-test-clip',
        prompt: 'A tram',
        duration: '2s',
        resolution: '256p',
      })
      for (let count = 0; count < 12; count++)
        await farebox.call('queueVideo', '/video/queue', { method: 'POST', headers: asAdmin, body })
    },
  },
}

it('every alert rule has a fault that triggers it', () => {
  expect(rules.map(({ alert }) => alert).toSorted()).toEqual(Object.keys(cases).toSorted())
})

describe('an alert rule', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    ticks = 0
    fault = undefined
    databaseAheadMs = 0
    upstream.script = scripts.ok
    busyParser = createTextParser({ size: 1, workerUrl: endless })
  })
  afterEach(async () => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    await busyParser.close()
    await farebox.service.close()
    server.close()
  })

  it.each(rules)(
    '$alert reads what its fault changes, and nothing else before it',
    async (rule) => {
      const { alert, expr } = rule
      const found = cases[alert]
      if (!found) throw new Error('There is no fault for it.')
      await start(found.options?.())
      await speak(3)
      await found.before?.()
      expect(findRaisedAlerts(await scrape())).toEqual([])
      await found.fault()
      const samples = await scrape()
      expect(findRaisedAlerts(samples)).toContain(alert)
      found.reads((metric, labels) => {
        expect(expr).toContain(metric)
        return sumOver(samples)(metric, labels)
      })
    },
  )
})
