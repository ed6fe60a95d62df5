import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deepTest, sampleCases } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../../../service/src/app/create-service.js'
import { createUpstreams } from '../../../service/src/app/create-upstreams.js'
import { openPglite } from '../../../service/src/platform/database/pglite.js'
import {
  startFakeFacilitator,
  supportsUpto,
  type FakeFacilitator,
} from '../../../service/test/fake-facilitator.js'
import { inlineParser } from '../../../service/test/harness.js'
import type { Result } from '../check.js'
import { verifyX402Client, verifyX402Service } from './index.js'

const origin = 'http://127.0.0.1:4020'
let service: Service
let caller = 0
beforeAll(async () => {
  service = await createService({
    origin,
    adminKey: 'verify-test-key',
    database: await openPglite(),
    textParser: inlineParser,
  })
})
afterAll(() => service.close())

type Change = (response: Response, request: Request) => Response | Promise<Response>

async function verifyService(change: Change = (response) => response, only?: readonly string[]) {
  const results: Result[] = []
  const found = verifyX402Service({
    url: `${origin}/api/v1/x402/top-up`,
    only,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const seen = request.clone()
      return change(await service.fetch(request, { remoteAddress: `192.0.2.${caller}` }), seen)
    },
    // as another caller, whose limits are its own
    wait: async () => void caller++,
  })
  for await (const result of found) results.push(result)
  return results
}
const listFailures = (results: readonly Result[]) =>
  results.filter(({ status }) => status === 'failed').map(({ id }) => id)

describe('a service', () => {
  it('passes if it is ours, and no check is skipped', async () => {
    const results = await verifyService()
    const isUpto = ({ id }: Result) => id.startsWith('upto.')
    expect(results.filter((one) => one.status !== 'passed' && !isUpto(one))).toEqual([])
    expect(results.filter((one) => !isUpto(one)).length).toBeGreaterThan(30)
    expect(new Set(results.filter(isUpto).map(({ reason }) => reason))).toEqual(
      new Set(['there is no offer of the scheme upto']),
    )
  })

  const withHeader =
    (name: string, value: string): Change =>
    (response) => {
      const headers = new Headers(response.headers)
      headers.set(name, value)
      return new Response(response.body, { status: response.status, headers })
    }
  const faults: Record<string, [Change, readonly string[]]> = {
    'responds 200 without a payment': [
      (response, request) =>
        request.headers.has('payment-signature') ? response : Response.json({}),
      ['discovery.status'],
    ],
    'has an unreadable header': [withHeader('payment-required', '%%%'), ['discovery.header']],
    'lets caches keep its offers': [
      withHeader('cache-control', 'max-age=60'),
      ['discovery.no-store'],
    ],
    'takes every payment': [
      (response, request) =>
        request.headers.has('payment-signature') ? Response.json({}) : response,
      ['rejects.signature', 'rejects.payee', 'rejects.garbage', 'payment.outcome'],
    ],
    'fails at every payment': [
      (response, request) =>
        request.headers.has('payment-signature') ? new Response(null, { status: 500 }) : response,
      ['rejects.signature', 'rejects.garbage', 'payment.outcome'],
    ],
    'rejects without a reason': [
      (response, request) =>
        request.headers.has('payment-signature') ? new Response(null, { status: 402 }) : response,
      ['rejects.signature', 'payment.outcome'],
    ],
  }
  it.each(sampleCases(Object.entries(faults)))(
    'fails if it %s',
    async (_name, [change, expected]) => {
      expect(listFailures(await verifyService(change, expected))).toEqual(expected)
    },
  )
})

describe('a service that offers upto', () => {
  let facilitator: FakeFacilitator
  let upto: Service
  beforeAll(async () => {
    facilitator = await startFakeFacilitator()
    facilitator.supported = supportsUpto
    const chat: typeof fetch = async () =>
      new Response(
        `data: {"choices":[{"index":0,"delta":{"content":"Two euros."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
        { headers: { 'content-type': 'text/event-stream' } },
      )
    upto = await createService({
      origin,
      adminKey: 'verify-test-key',
      database: await openPglite(),
      payTo: '0x1111111111111111111111111111111111111111',
      facilitator: { url: facilitator.url, uptoUsd: 0.02 },
      upstreams: createUpstreams(
        [{ name: 'chat', capability: 'chat', url: 'https://chat.example/v1' }],
        { fetch: chat },
      ),
    })
  })
  afterAll(async () => {
    await upto.close()
    await facilitator.close()
  })

  async function verifyUpto(change: Change = (response) => response, only?: readonly string[]) {
    const results: Result[] = []
    const found = verifyX402Service({
      url: `${origin}/api/v1/chat/completions`,
      method: 'POST',
      body: JSON.stringify({
        model: 'mistral-31-24b',
        messages: [{ role: 'user', content: 'What is the fare?' }],
      }),
      only,
      fetch: async (input, init) => {
        const request = new Request(input, init)
        const seen = request.clone()
        return change(await upto.fetch(request, { remoteAddress: `192.0.2.${caller}` }), seen)
      },
      wait: async () => void caller++,
    })
    for await (const result of found) results.push(result)
    return results.filter(({ id }) => id.startsWith('upto.'))
  }

  it('passes if it is ours, and no check of upto is skipped', async () => {
    const results = await verifyUpto()
    expect(results.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(results.length).toBe(18)
  })

  const paid = (response: Response, request: Request, receipt: object) =>
    request.headers.has('payment-signature')
      ? Response.json(
          {},
          {
            headers: {
              'payment-response': Buffer.from(JSON.stringify(receipt)).toString('base64'),
            },
          },
        )
      : response
  it.each<[string, Change, readonly string[]]>([
    [
      'takes every permit',
      (response, request) => paid(response, request, { success: true, amount: '1' }),
      ['upto.rejects.signature', 'upto.rejects.spender', 'upto.rejects.expired', 'upto.nonce'],
    ],
    [
      'settles more than the maximum, and anew',
      (response, request) =>
        paid(response, request, {
          success: true,
          amount: '9999999',
          transaction: crypto.randomUUID(),
        }),
      ['upto.outcome', 'upto.replay', 'upto.at-once'],
    ],
    [
      'does not say what it settled',
      (response, request) => paid(response, request, { success: true }),
      ['upto.outcome'],
    ],
  ])('fails if it %s', async (_name, change, expected) => {
    expect(listFailures(await verifyUpto(change, expected))).toEqual(expected)
  })
})

describe('a client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-x402-client-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const only = ['pays.version-2', 'rejects.transfer-method', 'upto.rejects.amount', 'once.bare-402']
  const verifyClient = async (file: string) => {
    const results: Result[] = []
    const command = [process.execPath, file, '{url}']
    const { signal } = new AbortController()
    for await (const result of verifyX402Client({ command, signal, only })) results.push(result)
    return results
  }

  deepTest('passes if it is ours', async () => {
    const ours = fileURLToPath(new URL('../../../cli/test/paying-client.mjs', import.meta.url))
    const results = await verifyClient(ours)
    expect(results.map(({ id, status }) => [id, status])).toEqual(only.map((id) => [id, 'passed']))
  })

  deepTest('fails if it signs the first offer, whatever it is, and again in each run', async () => {
    const file = join(folder, 'naive.mjs')
    writeFileSync(
      file,
      `const url = process.argv[2]
const discovery = await fetch(url, { method: 'POST' })
const { accepts: [accepted] } = JSON.parse(atob(discovery.headers.get('payment-required')))
const nonce = '0x' + crypto.randomUUID().replaceAll('-', '').repeat(2)
const authorization = { nonce, value: accepted.amount, to: accepted.payTo }
const payment = { x402Version: 2, accepted, payload: { signature: '0x', authorization } }
const headers = { 'payment-signature': btoa(JSON.stringify(payment)) }
process.exitCode = (await fetch(url, { method: 'POST', headers })).ok ? 0 : 1
`,
    )
    expect(listFailures(await verifyClient(file))).toEqual(only.slice(1))
  })

  it('that does not run is a finding with its last words', async () => {
    const [first, ...others] = await verifyClient(join(folder, 'missing.mjs'))
    expect(others.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped'])
    expect(first).toMatchObject({
      status: 'failed',
      found: expect.stringContaining('0; stderr: ') as string,
    })
  })
})
