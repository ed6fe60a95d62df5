import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findUsdcContract, memoryPaymentStore, mppSigner, pay } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { createService, type Service } from '@farebox/service'
import { installPackage } from '@farebox/testing/install-package'
import { createFarebox } from 'farebox'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openEmptyDatabase } from '../../packages/service/test/empty-database.js'
import {
  startFakeFacilitator,
  transaction,
  type FakeFacilitator,
} from '../../packages/service/test/fake-facilitator.js'

// The client and the server of the authors of MPP, as npm has them, with our service and client.

const origin = 'http://127.0.0.1:4020'
const payTo = '0x1111111111111111111111111111111111111111'
const usdc = findUsdcContract('eip155:8453')?.asset

type Charge = (
  request: Request,
) => Promise<
  | { readonly status: 402; readonly challenge: Response }
  | { readonly status: 200; readonly withReceipt: (response: Response) => Response }
>
type Client = {
  readonly Fetch: { readonly from: (options: object) => typeof fetch }
  readonly evm: { readonly charge: (options: object) => object }
}
type Server = {
  readonly Mppx: {
    readonly create: (options: object) => {
      readonly charge: (terms: { readonly amount: string }) => Charge
    }
  }
  readonly evm: { readonly charge: (options: object) => object }
}

let client: Client
let server: Server
let facilitator: FakeFacilitator
let service: Service

beforeAll(async () => {
  const folder = join(installPackage('mppx', '0.11.0', ['viem@2.57.1']), 'dist')
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href)
  client = (await load('client/index.js')) as Client
  server = (await load('server/index.js')) as Server
  facilitator = await startFakeFacilitator()
  service = await createService({
    origin,
    adminKey: 'test-admin-key',
    payTo,
    facilitator: { url: facilitator.url },
    database: await openEmptyDatabase(),
  })
})
afterAll(async () => {
  await service.close()
  await facilitator.close()
})

const overService: typeof fetch = async (url, init) => service.fetch(new Request(url, init))

const readReceipt = ({ headers }: Response) =>
  JSON.parse(Buffer.from(headers.get('payment-receipt') ?? '', 'base64url').toString()) as object

async function readBalance(key: `0x${string}`): Promise<number> {
  const wallet = privateKeySigner(key)
  const farebox = createFarebox({ baseUrl: `${origin}/api/v1`, wallet, fetch: overService })
  return (await farebox.balance()).balanceUsd
}

describe('mppx pays our service', () => {
  /** Answers a challenge by MPP only: mppx prefers x402 if a response has both. */
  const payWith = (key: `0x${string}`) =>
    client.Fetch.from({
      fetch: (async (url, init) => {
        const response = await overService(url, init)
        const headers = new Headers(response.headers)
        headers.delete('payment-required')
        return new Response(await response.arrayBuffer(), { status: response.status, headers })
      }) satisfies typeof fetch,
      methods: [
        client.evm.charge({
          account: privateKeyToAccount(key),
          authorization: { name: 'USD Coin', version: '2' },
        }),
      ],
    })

  it('for credit', async () => {
    const key = generatePrivateKey() as `0x${string}`
    const response = await payWith(key)(`${origin}/api/v1/x402/top-up`, { method: 'POST' })
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { data: { walletAddress: privateKeyToAddress(key), amountCredited: 5, newBalance: 5 } },
    ])
    expect(readReceipt(response)).toMatchObject({
      method: 'evm',
      reference: transaction,
      status: 'success',
    })
  })

  it('for one call, in that call', async () => {
    const key = generatePrivateKey() as `0x${string}`
    const body = new FormData()
    body.append('file', new Blob(['Tram fares']), 'fares.txt')
    const response = await payWith(key)(`${origin}/api/v1/augment/text-parser`, {
      method: 'POST',
      body,
    })
    expect([response.status, await response.json()]).toMatchObject([200, { text: 'Tram fares' }])
    expect(await readBalance(key)).toBe(4.99)
  })
})

describe('our client pays a server of mppx', () => {
  const settled: { readonly from: string; readonly nonce: string }[] = []
  const secretKey = Buffer.alloc(32, 7).toString('base64')

  function serve(fails = false): typeof fetch {
    const mppx = server.Mppx.create({
      realm: 'api.example',
      secretKey,
      methods: [
        server.evm.charge({
          currency: usdc,
          chainId: 8453,
          decimals: 6,
          recipient: payTo,
          authorization: { name: 'USD Coin', version: '2' },
          settle: async ({ payload }: { payload: { from: string; nonce: string } }) => {
            settled.push(payload)
            if (fails) throw new Error('The chain did not respond.')
            return { reference: transaction }
          },
        }),
      ],
    })
    return async (url, init) => {
      const result = await mppx.charge({ amount: '0.25' })(new Request(url, init))
      return result.status === 402
        ? result.challenge
        : result.withReceipt(Response.json({ tram: 4 }))
    }
  }

  const payWith = (send: typeof fetch, maxUsdPerPayment = 1) => {
    const wallet = privateKeySigner(generatePrivateKey())
    const store = memoryPaymentStore()
    const caps = { maxUsdPerPayment, maxUsdPerDay: 1, store, appliesTo: () => true }
    const wait = async () => {}
    return withMiddleware(
      send,
      pay(mppSigner(wallet), { origin: 'https://api.example', ...caps, wait }),
    )
  }

  it('once for each call', async () => {
    settled.length = 0
    const paying = payWith(serve())
    for (const call of [1, 2]) {
      const response = await paying('https://api.example/trams')
      expect([call, response.status, await response.json()]).toEqual([call, 200, { tram: 4 }])
      expect(readReceipt(response)).toMatchObject({ reference: transaction, status: 'success' })
    }
    expect(new Set(settled.map(({ nonce }) => nonce)).size).toBe(2)
  })

  it('within its caps', async () => {
    settled.length = 0
    await expect(payWith(serve(), 0.2)('https://api.example/trams')).rejects.toMatchObject({
      code: 'over_payment_cap',
    })
    expect(settled).toEqual([])
  })

  it('with one nonce, while a settlement fails', async () => {
    settled.length = 0
    vi.spyOn(console, 'error').mockReturnValue()
    const paying = payWith(serve(true))
    for (const _ of [1, 2])
      await expect(paying('https://api.example/trams')).rejects.toMatchObject({
        outcome: 'unknown',
      })
    expect(new Set(settled.map(({ nonce }) => nonce)).size).toBe(1)
  })
})
