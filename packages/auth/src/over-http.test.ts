import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { withMiddleware } from '@farebox/middleware'
import { createPaymentRequired, topUpOffer } from '@farebox/testing/top-up-offer'
import { afterEach, expect, test } from 'vitest'
import { AuthError } from './errors.js'
import { bearer } from './api-key.js'
import { memoryPaymentStore } from './payment/payment-store.js'
import { pay } from './payment/pay.js'
import { privateKeySigner } from './keys.js'
import { decodePaymentHeader, verifyPaymentAuthorization, verifySiwxHeader } from './verify.js'
import { signIn } from './sign-in/sign-in.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const signer = privateKeySigner(key)
const servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Sign-in and top-up over a socket. Responds with the balance of the wallet. */
async function startService(): Promise<string> {
  const balances = new Map<string, bigint>()
  const origin: string = await serve((request, response) => {
    const handle = async () => {
      const header = (name: string) => String(request.headers[name] ?? '')
      if (request.url === '/away')
        return response.writeHead(307, { location: `${await startThief()}/` }).end()
      if (request.url !== '/api/v1/x402/top-up') {
        const { address } = await verifySiwxHeader(header('sign-in-with-x'), {
          domain: new URL(origin).host,
          uri: origin,
        })
        return response.end(String(balances.get(address) ?? 0n))
      }
      if (request.headers['payment-signature'] === undefined) {
        return response.writeHead(402, createPaymentRequired()).end()
      }
      const verified = await verifyPaymentAuthorization(
        decodePaymentHeader(header('payment-signature')),
        topUpOffer,
        {
          minAmount: 5_000_000n,
        },
      )
      balances.set(verified.payer, (balances.get(verified.payer) ?? 0n) + verified.amount)
      return response.end('paid')
    }
    handle().catch((error: unknown) => response.writeHead(401).end(String(error)))
  })
  return origin
}

const received: unknown[] = []
const startThief = () =>
  serve((request, response) => {
    received.push(request.headers)
    response.end()
  })

test('a wallet tops up and signs in with the platform’s fetch', async () => {
  const origin = await startService()
  const fetch = withMiddleware(
    globalThis.fetch,
    pay(signer, {
      origin,
      amountUsd: 6,
      maxUsdPerPayment: 10,
      maxUsdPerDay: 10,
      store: memoryPaymentStore(),
    }),
    signIn(signer, { origin }),
  )
  expect(await (await fetch(`${origin}/api/v1/x402/top-up`, { method: 'POST' })).text()).toBe(
    'paid',
  )
  expect(await (await fetch(`${origin}/api/v1/models`)).text()).toBe('6000000')
})

test('credentials are not sent after a redirect to another origin', async () => {
  const origin = await startService()
  for (const middleware of [
    signIn(signer, { origin }),
    bearer('planted-key', { origin }),
    bearer('planted-key'),
  ]) {
    await expect(withMiddleware(globalThis.fetch, middleware)(`${origin}/away`)).rejects.toThrow(
      AuthError,
    )
  }
  expect(received).toEqual([])
})

test('no error of these calls reveals the key of the wallet or the API key', async () => {
  const origin = await startService()
  const requests = [
    () => withMiddleware(globalThis.fetch, signIn(signer, { origin }))(`${origin}/away`),
    () => withMiddleware(globalThis.fetch, bearer('planted-key\n'))(origin),
    () => withMiddleware(globalThis.fetch, bearer('planted-key'))('http://127.0.0.1:1/'),
    () =>
      withMiddleware(
        globalThis.fetch,
        signIn(signer, { origin: 'http://127.0.0.1:1' }),
      )('http://127.0.0.1:1/'),
    () =>
      withMiddleware(
        globalThis.fetch,
        pay(signer, {
          origin,
          maxUsdPerPayment: 1,
          maxUsdPerDay: 1,
          store: memoryPaymentStore(),
        }),
      )(`${origin}/api/v1/x402/top-up`, {
        method: 'POST',
      }),
    async () => privateKeySigner(`${key}0`),
  ]
  const errors = await Promise.all(
    requests.map((request) =>
      request().then(
        () => expect.fail('it did not fail'),
        (error: unknown) => error,
      ),
    ),
  )
  const output = errors
    .map(
      (error) =>
        inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error) + String(error),
    )
    .join('\n')
  expect(output).not.toContain(key.slice(2))
  expect(output).not.toContain('planted-key')
})
