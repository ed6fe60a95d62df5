import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyCaller, createWallet, type Caller, type WalletCaller } from './callers.js'
import { createJsonMessage, samples, type Prices } from './orders.js'
import { send, type Message, type RequestOutcome } from './send.js'
import { adminKey, type ServiceProcess } from './service-process.js'

const attempts = 120

/** What each sample costs while nothing disturbs the service. An upstream of it may fail. */
export async function readPrices({ origin }: Pick<ServiceProcess, 'origin'>): Promise<Prices> {
  const wallet = createWallet()
  await topUp(origin, wallet)
  const prices = new Map<string, bigint>()
  let balance = await readBalance(origin, wallet)
  for (const { name, message } of samples) {
    for (let attempt = 1; !prices.has(name); attempt++) {
      const seen = await sendAs(wallet, origin, message())
      const left = await readBalance(origin, wallet)
      if (seen.kind === 'response' && seen.status === 200 && seen.isWhole)
        prices.set(name, balance - left)
      else if (attempt === attempts) throw new Error(`${name}: ${describe(seen)}`)
      balance = left
    }
  }
  return prices
}

async function topUp(origin: string, wallet: WalletCaller): Promise<RequestOutcome> {
  return sendAs(wallet, origin, {
    method: 'POST',
    path: '/x402/top-up',
    headers: { 'payment-signature': await wallet.pay(5) },
  })
}

/** Micro-USD. */
async function readBalance(origin: string, wallet: WalletCaller): Promise<bigint> {
  const message: Message = { method: 'GET', path: toBalancePath(wallet), headers: {} }
  const seen = await sendAs(wallet, origin, message)
  if (seen.kind !== 'response' || seen.status !== 200)
    throw new Error(`${message.path}: ${describe(seen)}`)
  const { data } = JSON.parse(seen.body.toString()) as {
    readonly data: { readonly balanceUsd: number }
  }
  return BigInt(Math.round(data.balanceUsd * 1e6))
}

function toBalancePath({ address }: WalletCaller): string {
  return `/x402/balance/${address}`
}

/** Waits until a service is ready, and then uses every operation. Returns what does not work. */
export async function findBrokenOperations({ origin }: ServiceProcess): Promise<readonly string[]> {
  const wallet = createWallet()
  const admin = createKeyCaller(adminKey)
  const broken: string[] = []
  const note = (operation: string, seen: RequestOutcome) => {
    if (seen.kind === 'lost' || seen.status !== 200) broken.push(`${operation}: ${describe(seen)}`)
  }
  if (!(await isReady(origin))) broken.push('/readyz')
  note('topUp', await topUp(origin, wallet))
  const probes: readonly (readonly [string, Caller, Message])[] = [
    ['getBalance', wallet, { method: 'GET', path: toBalancePath(wallet), headers: {} }],
    [
      'listTransactions',
      wallet,
      { method: 'GET', path: `/x402/transactions/${wallet.address}`, headers: {} },
    ],
    ...samples.map(({ name, message }) => [name, wallet, message()] as const),
    [
      'createApiKey',
      admin,
      createJsonMessage('/api_keys', { apiKeyType: 'INFERENCE', description: 'probe' }),
    ],
    ['getRateLimits', admin, { method: 'GET', path: '/api_keys/rate_limits', headers: {} }],
  ]
  for (const [operation, caller, message] of probes)
    note(operation, await sendAs(caller, origin, message))
  return broken
}

async function isReady(origin: string): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const response = await fetch(`${origin}/readyz`).catch(() => undefined)
    await response?.arrayBuffer()
    if (response?.status === 200) return true
    await sleep(250)
  }
  return false
}

function describe(seen: RequestOutcome): string {
  return seen.kind === 'lost'
    ? 'no response'
    : `${seen.status} ${seen.body.toString().slice(0, 200)}`
}

async function sendAs(caller: Caller, origin: string, message: Message): Promise<RequestOutcome> {
  return send(origin, { ...message, headers: { ...message.headers, ...(await caller.headers()) } })
}
