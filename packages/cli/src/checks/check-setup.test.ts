import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from './finding.js'
import { run } from '../run.js'

const folder = mkdtempSync(join(tmpdir(), 'farebox-checks-'))
const balance = {
  success: true,
  data: {
    walletAddress: '0x1',
    balanceUsd: 5,
    canConsume: true,
    minimumTopUpUsd: 5,
    suggestedTopUpUsd: 10,
  },
}
const responses = {
  models: { status: 200, body: { data: [] } as object },
  balance: { status: 200, body: balance as object },
  aheadS: 0,
}

let server: Server
let baseUrl: string
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const { status, body } = url.endsWith('/models') ? responses.models : responses.balance
    response.setHeader('date', new Date(Date.now() + responses.aheadS * 1000).toUTCString())
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

type Report = {
  readonly code: number
  readonly ok: boolean
  readonly of: Readonly<Record<string, Finding>>
  readonly text: string
}

/** What it reports with a wallet and a service that responds as `given`. */
async function check(
  given: Partial<typeof responses> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Report> {
  Object.assign(
    responses,
    {
      models: { status: 200, body: { data: [] } },
      balance: { status: 200, body: balance },
      aheadS: 0,
    },
    given,
  )
  const out = new PassThrough()
  const environment = {
    HOME: folder,
    FAREBOX_BASE_URL: baseUrl,
    FAREBOX_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    ...env,
  }
  const streams = { in: new PassThrough(), out, err: new PassThrough() }
  const code = await run(['whoami', '--check', '--json'], {
    environment,
    streams,
    signal: new AbortController().signal,
  })
  const text = String(out.read())
  const { ok, checks } = JSON.parse(text) as {
    readonly ok: boolean
    readonly checks: readonly Finding[]
  }
  return {
    code,
    ok,
    text,
    of: Object.fromEntries(checks.map((finding) => [finding.name, finding])),
  }
}

describe('farebox whoami --check', () => {
  it('reports no problem for a working setup, and shows no secret', async () => {
    const { code, ok, of, text } = await check()
    expect([code, ok]).toEqual([0, true])
    expect(Object.values(of).filter(({ status }) => status !== 'ok')).toEqual([])
    expect(Object.keys(of)).toEqual(
      'node,configuration,base URL,credential,proxy,service,clock,sign-in,spending,payments'.split(
        ',',
      ),
    )
    expect(of['sign-in']?.found).toBe('the service accepts the sign-in; 5 USD of credit')
    expect(text).not.toContain('1111')
  })

  it('distinguishes a clock offset that sign-ins correct from one that they do not', async () => {
    expect((await check({ aheadS: 120 })).of['clock']).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/^1(?:19|2\d) s behind/) as string,
    })
    const far = await check({ aheadS: -4000 })
    expect([far.code, far.of['clock']?.status]).toEqual([1, 'failed'])
    expect(far.of['clock']?.found).toContain('ahead of the service')
  })

  it('reports what is wrong with a credential, and skips checks that need it', async () => {
    const rejected = await check({ balance: { status: 401, body: { error: 'unknown' } } })
    expect(rejected.of['sign-in']).toMatchObject({
      status: 'failed',
      advice: expect.stringContaining('Check the clock of this machine') as string,
    })
    const none = await check({}, { FAREBOX_PRIVATE_KEY: '' })
    expect(none.of['credential']?.advice).toBe(
      'Run farebox init, or set FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY.',
    )
    expect(none.of['sign-in']?.status).toBe('skipped')
    expect((await check({}, { FAREBOX_PRIVATE_KEY: '0x12' })).of['sign-in']?.status).toBe('skipped')
  })

  it('distinguishes an unreachable service from a different one', async () => {
    const other = await check({ models: { status: 404, body: {} } })
    expect(other.of['service']?.found).toContain('responds with HTTP 404 without a list of models')
    const closed = await check({}, { FAREBOX_BASE_URL: 'http://127.0.0.1:9/api/v1' })
    expect(closed.of['service']).toMatchObject({
      status: 'failed',
      found: expect.stringContaining('nothing responds at') as string,
    })
    expect(closed.code).toBe(1)
  })

  it('rejects a configuration that others can read, and names the mode', async () => {
    const path = join(folder, 'open.json')
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, '{}')
    chmodSync(path, 0o644)
    const { of } = await check({}, { FAREBOX_CONFIG: path })
    expect(of['configuration']).toMatchObject({
      status: 'failed',
      found: expect.stringContaining(`Run: chmod 600 ${path}`) as string,
    })
    expect(
      ['base URL', 'credential', 'sign-in', 'spending'].map((name) => of[name]?.status),
    ).toEqual(Array.from({ length: 4 }, () => 'skipped'))
  })
})
