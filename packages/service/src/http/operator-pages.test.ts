import { operations } from '@farebox/types/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { adminKey, inlineParser, origin, startService, type Harness } from '../../test/harness.js'
import { createService, type Service, type ServiceOptions } from '../app/create-service.js'
import type { RequestRecord } from '../platform/telemetry/log.js'
import { pageRequests } from './operator-pages.js'

let farebox: Harness
const records: RequestRecord[] = []
let databaseIsThere = true
let parserIsThere: () => Promise<void> = async () => undefined

beforeAll(async () => {
  farebox = await startService({
    metricsKey: 'scrape',
    onRequest: (record) => records.push(record),
    textParser: { ...inlineParser, ready: () => parserIsThere() },
  })
  const { query } = farebox.database
  Object.assign(farebox.database, {
    query: (...args: Parameters<typeof query>) =>
      databaseIsThere ? query(...args) : Promise.reject(new Error('gone')),
  })
})
afterAll(() => farebox.service.close())

const ask = async (path: string, init?: RequestInit) => {
  const response = await farebox.service.fetch(new Request(`${origin}${path}`, init))
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json' && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  }
}

const scrape = async () =>
  (await ask('/metrics', { headers: { authorization: 'Bearer scrape' } })).text

describe('/healthz and /readyz', () => {
  it('report a healthy service', async () => {
    expect(await ask('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect(await ask('/readyz')).toMatchObject({
      status: 200,
      json: {
        status: 'ready',
        checks: { database: 'ok', textParser: 'ok', media: 'ok', speech: 'ok' },
      },
    })
  })

  it('report a service without its database as alive and not ready', async () => {
    databaseIsThere = false
    expect(await ask('/healthz')).toMatchObject({ status: 200 })
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      json: { status: 'not ready', checks: { database: 'failed' } },
    })
    databaseIsThere = true
  })

  it('report a worker thread that does not start', async () => {
    parserIsThere = () => Promise.reject(new Error('no such file'))
    const response = await ask('/readyz')
    expect(response).toMatchObject({
      status: 503,
      json: { checks: { textParser: 'failed', database: 'ok' } },
    })
    expect(response.text).not.toContain('no such file')
    parserIsThere = async () => undefined
  })

  it('respond to HEAD without a body, and reject methods that change something', async () => {
    expect(await ask('/healthz', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    const allowed = { allow: 'GET, HEAD, OPTIONS' }
    for (const [method, status] of [
      ['POST', 405],
      ['DELETE', 405],
      ['OPTIONS', 204],
    ] as const)
      for (const path of ['/healthz', '/metrics', '/']) {
        const response = await ask(path, { method })
        expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
          status,
          allowed,
        ])
      }
  })
})

it('limits pages per address and minute, without affecting others or the API', async () => {
  const page = async (remoteAddress: string, path = '/openapi.json') =>
    (
      await farebox.service.fetch(new Request(`${origin}${path}`, { method: 'HEAD' }), {
        remoteAddress,
      })
    ).status
  for (let count = 0; count < pageRequests; count++) await page('192.0.2.200')
  expect([
    await page('192.0.2.200'),
    await page('192.0.2.200', '/healthz'),
    await page('192.0.2.201'),
  ]).toEqual([429, 429, 200])
  expect((await farebox.call('listModels', '/models', { from: '192.0.2.200' })).status).toBe(200)
  farebox.clock.time += 61_000
  expect(await page('192.0.2.200')).toBe(200)
})

describe('/metrics', () => {
  it('requires its key', async () => {
    expect((await ask('/metrics')).status).toBe(401)
    expect((await ask('/metrics', { headers: { authorization: 'Bearer scrapf' } })).status).toBe(
      401,
    )
  })

  it('without their own key require the admin key, and without that are closed', async () => {
    const readStatus = async (service: Service, authorization: string) => {
      const response = await service.fetch(
        new Request(`${origin}/metrics`, { headers: { authorization } }),
      )
      await service.close()
      return response.status
    }
    const status = async (options: Partial<ServiceOptions>, authorization: string) =>
      readStatus((await startService(options)).service, authorization)
    expect(await status({}, `Bearer ${adminKey}`)).toBe(200)
    expect(await status({}, '')).toBe(401)
    expect(await status({ adminKeyOld: 'key-before' }, 'Bearer key-before')).toBe(200)
    expect(await status({ metricsKey: 'scrape' }, `Bearer ${adminKey}`)).toBe(401)
    expect(await status({ metricsKey: 'scrape' }, 'Bearer scrape')).toBe(200)
    const closed = await createService({
      origin,
      textParser: inlineParser,
      database: await openEmptyDatabase(),
    })
    expect(await readStatus(closed, 'Bearer undefined')).toBe(401)
  })

  it('counts requests, rejections, charges and backend calls', async () => {
    await farebox.call('topUp', '/x402/top-up', { method: 'POST', from: '192.0.2.77' })
    await farebox.call(undefined, '/nope', { from: '192.0.2.77' })
    const body = new FormData()
    body.append('file', new Blob(['Tram fares']), 'a.txt')
    await farebox.call('parseText', '/augment/text-parser', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${adminKey}` },
    })
    const text = await scrape()
    for (const line of [
      'farebox_requests_total{operation="topUp",status="402"} 1',
      'farebox_requests_total{operation="none",status="404"} 1',
      'farebox_requests_total{operation="parseText",status="200"} 1',
      'farebox_refusals_total{operation="none",status="404",code="NOT_FOUND"} 1',
      'farebox_request_duration_seconds_count{operation="parseText"} 1',
      'farebox_charges_total 1',
      'farebox_charged_usd_total{capability="text",model="text-parser"} 0.01',
      'farebox_backend_calls_total{backend="text",outcome="ok"} 1',
    ]) {
      expect(text.split('\n')).toContain(line)
    }
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
  })
})

describe('the log of a request', () => {
  it('contains the caller, the operation and the outcome, but no content', async () => {
    records.length = 0
    await farebox.call('getModel', '/models/secret-in-the-path?key=secret-in-the-query', {
      headers: { authorization: 'Bearer secret-in-a-header' },
      from: '192.0.2.78',
    })
    expect(records).toEqual([
      {
        requestId: expect.stringMatching(/^req_/) as string,
        method: 'GET',
        operation: 'getModel',
        status: expect.any(Number) as number,
        code: expect.any(String) as string,
        ms: expect.any(Number) as number,
        caller: 'anonymous',
      },
    ])
    expect(JSON.stringify(records)).not.toContain('secret')
  })

  it("is empty for the operator's pages", async () => {
    records.length = 0
    await Promise.all(
      ['/healthz', '/readyz', '/metrics', '/openapi.json', '/'].map((path) => ask(path)),
    )
    expect(records).toEqual([])
  })
})

describe('/openapi.json', () => {
  it('is the bundled contract, with this service as its server', async () => {
    const { status, headers, json } = await ask('/openapi.json')
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(json['servers']).toEqual([{ url: `${origin}/api/v1`, description: 'Farebox' }])
    const paths = Object.values(operations).map(({ path }) => path)
    expect(new Set(Object.keys(json['paths'] as object))).toEqual(new Set(paths))
    expect(JSON.stringify(json)).not.toMatch(/"\$ref":"(?!#\/components\/)/)
  })
})

describe('the reference page', () => {
  it('lists every operation, with its path and its credentials', async () => {
    const { status, text, headers } = await ask('/')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const listed = [...text.matchAll(/<details id="(\w+)"/g)].map(([, id = '']) => id)
    expect(listed.sort()).toEqual(Object.keys(operations).sort())
    for (const part of [
      '/audio/speech',
      '/x402/balance/{walletAddress}',
      'SIGN-IN-WITH-X',
      '4096',
      `base URL <code>${origin}/api/v1`,
    ])
      expect(text).toContain(part)
  })

  it('loads only from this service, and runs only its own scripts', async () => {
    const { text, headers } = await ask('/')
    const foreign =
      /<(?:img|iframe|style)\b|\son\w+="|<script(?! type="(?:module" src="\/reference\/|application\/json"))/i
    expect(foreign.exec(text)?.[0]).toBeUndefined()
    expect(
      [...text.matchAll(/(?:href|src)="([^"]*)"/g)]
        .map(([, to]) => to)
        .filter((to) => !/^[#/]/.test(to ?? '')),
    ).toEqual([])
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; .*connect-src 'self';/,
    )
    const loaded = [...text.matchAll(/"(\/reference\/[^"]*)"/g)].map(([, path = '']) => path)
    const types = await Promise.all(
      loaded.map(async (path) => (await ask(path)).headers.get('content-type')),
    )
    expect(types).toEqual([
      'text/css; charset=utf-8',
      'text/css; charset=utf-8',
      'text/javascript; charset=utf-8',
    ])
    expect((await ask('/reference/other.js')).status).toBe(404)
  })

  it('shows a name that is HTML as text', async () => {
    const odd = await startService({ serviceName: '<script>alert(1)</script>' })
    const response = await odd.service.fetch(new Request(origin))
    expect(await response.text()).not.toContain('<script>')
    await odd.service.close()
  })
})
