import { memoryPaymentStore, pay } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { ExactEvmScheme } from '@x402/evm'
import { wrapAxiosWithPaymentFromConfig } from '@x402/axios'
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch'
import axios, { type AxiosInstance } from 'axios'
import { createWalletClient, http, type Account } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { withPaymentInterceptor } from 'x402-axios'
import { wrapFetchWithPayment } from 'x402-fetch'

/** A request that costs money, with the headers of every request of its client. */
export type PaidRequest = {
  readonly url: string
  readonly json?: object
  readonly headers: Readonly<Record<string, string>>
}
export type PaidResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: number
}
type Pay = (account: Account, request: PaidRequest, key: `0x${string}`) => Promise<PaidResponse>

/** What the clients may pay: they reject 5 USD as they come. */
const most = 10_000_000n

const createSchemes = (account: Account) => ({
  schemes: [{ network: 'eip155:8453' as const, client: new ExactEvmScheme(account as never) }],
})

/**
 * The official clients of x402, of both versions, as their documentation says to use them, and our
 * own payer.
 */
const clients: Readonly<Record<string, Pay>> = {
  '@x402/fetch': async (account, request) => {
    const client = { ...createSchemes(account), spendControls: { maxAmountPerPayment: '$10' } }
    return sendByFetch(wrapFetchWithPaymentFromConfig(globalThis.fetch, client), request)
  },
  '@x402/axios': async (account, request) =>
    sendByAxios(wrapAxiosWithPaymentFromConfig(axios.create(), createSchemes(account)), request),
  'x402-fetch': async (account, request) =>
    sendByFetch(
      wrapFetchWithPayment(globalThis.fetch, createWallet(account) as never, most),
      request,
    ),
  '@farebox/auth': async (account, request, key) => {
    const caps = {
      origin: new URL(request.url).origin,
      maxUsdPerPayment: 10,
      maxUsdPerDay: 10,
      store: memoryPaymentStore(),
    }
    const payment = pay(privateKeySigner(key), { ...caps, appliesTo: () => true })
    return sendByFetch(
      withMiddleware((input, init) => globalThis.fetch(input, init), payment),
      request,
    )
  },
  'x402-axios': async (account, request) =>
    sendByAxios(withPaymentInterceptor(axios.create(), createWallet(account) as never), request),
}

export const names = Object.keys(clients)

/** One request that its client pays for. */
export async function payOnce(
  name: string,
  key: `0x${string}`,
  request: PaidRequest,
): Promise<PaidResponse> {
  const payment = clients[name]
  if (!payment) throw new Error(`Expected one of ${names.join(', ')}, found ${name}.`)
  return payment(privateKeyToAccount(key), request, key)
}

function createWallet(account: Account) {
  return createWalletClient({ account, chain: base, transport: http('http://127.0.0.1:9') })
}

async function sendByFetch(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  { url, json, headers }: PaidRequest,
): Promise<PaidResponse> {
  const typed = json ? { ...headers, 'content-type': 'application/json' } : headers
  const response = await fetch(url, {
    method: 'POST',
    headers: typed,
    ...(json && { body: JSON.stringify(json) }),
  })
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes: (await response.arrayBuffer()).byteLength,
  }
}

async function sendByAxios(
  client: AxiosInstance,
  { url, json, headers }: PaidRequest,
): Promise<PaidResponse> {
  const response = await client.post<unknown>(url, json, { headers })
  const { status, data } = response
  const found = Object.entries(response.headers).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ])
  return {
    status,
    headers: Object.fromEntries(found) as Record<string, string>,
    bytes: String(data).length,
  }
}
