import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  inlineParser,
  createWallet,
  origin,
  startService,
  type Harness,
} from '../../test/harness.js'

let farebox: Harness
beforeAll(async () => void (farebox = await startService()))
afterAll(() => farebox.service.close())

describe('unknown paths and methods', () => {
  it.each([
    '/',
    '/nope',
    '/x402',
    '/x402/top-up/',
    '/x402/balance',
    '/x402/balance/',
    '/../../etc/passwd',
    '/models/',
    '/%00',
    '/%',
    '/x402/balance/%zz/x',
  ])('return 404 for %s', async (path) => {
    expect(
      (await farebox.call(undefined, path, { from: createWallet().address })).json['code'],
    ).toBe('NOT_FOUND')
  })

  it('return 404 outside /api/v1 too', async () => {
    const response = await farebox.service.fetch(new Request(`${origin}/elsewhere`))
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: expect.stringContaining('/api/v1/models') as string, code: 'NOT_FOUND' },
    ])
  })

  it('of an operation that this service does not offer return 404 and the available paths', async () => {
    const { status, json } = await farebox.call(undefined, '/responses', {
      method: 'POST',
      from: createWallet().address,
    })
    expect(status).toBe(404)
    expect(json['error']).toMatch(
      /^There is no such path\. This service has .*\/api\/v1\/audio\/speech, .*\/api\/v1\/video\/queue\b/,
    )
  })

  it.each([
    ['GET', '/x402/top-up', 'POST, OPTIONS'],
    ['DELETE', '/augment/text-parser', 'POST, OPTIONS'],
    ['PATCH', '/models', 'GET, HEAD, OPTIONS'],
  ])('return 405 for %s %s and the allowed methods', async (method, path, allow) => {
    const response = await farebox.call(undefined, path, { method })
    expect([response.status, response.headers.get('allow'), response.json['code']]).toEqual([
      405,
      allow,
      'METHOD_NOT_ALLOWED',
    ])
  })

  it('allow requests from any origin, and expose the relevant headers', async () => {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'payment-signature',
    }
    const preflight = await farebox.call(undefined, '/x402/top-up', { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('PAYMENT-SIGNATURE')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('SIGN-IN-WITH-X')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('*')
    expect(preflight.headers.get('access-control-expose-headers')).toBe('*')
  })
})

describe('a page of another origin', () => {
  it('may download a video by its URL, and see the range', async () => {
    const preflight = await farebox.service.fetch(
      new Request(`${origin}/downloads/video/x.mp4`, { method: 'OPTIONS' }),
    )
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, DELETE, OPTIONS',
    ])
    expect(preflight.headers.get('access-control-expose-headers')).toBe('*')
    const wrong = await farebox.service.fetch(
      new Request(`${origin}/downloads/video/x.mp4`, { method: 'PUT' }),
    )
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE, OPTIONS'])
  })
})

describe('every response', () => {
  it("has a Date header from the service's clock", async () => {
    expect(
      (await farebox.call('topUp', '/x402/top-up', { method: 'POST' })).headers.get('date'),
    ).toBe('Fri, 02 Jan 2026 03:04:05 GMT')
  })

  it('has a unique request id', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, () => farebox.call('topUp', '/x402/top-up', { method: 'POST' })),
    )
    expect(new Set(ids.map(({ headers }) => headers.get('x-request-id'))).size).toBe(5)
  })
})

describe('a crash', () => {
  it('is 500 with the request id, is logged for the operator, and costs nothing', async () => {
    const crash = new Error('secret: the password is hunter2')
    const broken = await startService({
      textParser: { ...inlineParser, parse: () => Promise.reject(crash) },
    })
    const wallet = await broken.richWallet(1)
    const body = new FormData()
    body.append('file', new Blob(['x']), 'a')
    const response = await broken.call('parseText', '/augment/text-parser', {
      method: 'POST',
      body,
      headers: await broken.signIn(wallet),
    })
    expect(response.status).toBe(500)
    expect(response.json).toEqual({
      error: 'An unknown error occurred.',
      code: 'UNKNOWN_ERROR',
      requestId: response.headers.get('x-request-id'),
    })
    expect(broken.crashes).toEqual([crash])
    expect(await broken.ledger.balance(wallet.address)).toBe(1_000_000n)
    await broken.service.close()
  })

  it('is 500 with a top-up error for a top-up when the database is gone', async () => {
    const broken = await startService()
    const header = await broken.pay(createWallet())
    await broken.database.close()
    const response = await broken.call('topUp', '/x402/top-up', {
      method: 'POST',
      headers: { 'payment-signature': header },
    })
    expect([response.status, response.json['error'], response.json['message']]).toEqual([
      500,
      'UNKNOWN_ERROR',
      'An unknown error occurred.',
    ])
  })
})
