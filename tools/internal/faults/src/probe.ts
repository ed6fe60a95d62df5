import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyCaller, createWallet, type Caller } from './callers.js'
import { clip, jsonMessage, parseMessage, speechModel, type Prices } from './orders.js'
import { send, type Message, type Seen } from './send.js'
import { adminKey, type ServiceProcess } from './service-process.js'

const attempts = 120

/** The prices that the service states, and so also whether it is there. */
export async function readPrices({ origin }: ServiceProcess): Promise<Prices> {
  const admin = createKeyCaller(adminKey)
  const model = await ask<{
    readonly model_spec: { readonly pricing: { readonly input: { readonly usd: number } } }
  }>(origin, admin, {
    method: 'GET',
    path: `/models/${speechModel}`,
    headers: {},
  })
  const { quote } = await ask<{ readonly quote: number }>(
    origin,
    admin,
    jsonMessage('/video/quote', clip),
  )
  return { speechUsdPerMillion: model.model_spec.pricing.input.usd, videoUsd: quote }
}

/** Waits until a service is ready, and then uses every operation. Returns what does not work. */
export async function brokenOperations({ origin }: ServiceProcess): Promise<readonly string[]> {
  const wallet = createWallet()
  const admin = createKeyCaller(adminKey)
  const payment: Message = {
    method: 'POST',
    path: '/x402/top-up',
    headers: { 'payment-signature': await wallet.pay(5) },
  }
  const probes: readonly (readonly [string, Caller, Message])[] = [
    ['topUp', wallet, payment],
    ['getBalance', wallet, { method: 'GET', path: `/x402/balance/${wallet.address}`, headers: {} }],
    [
      'listTransactions',
      wallet,
      { method: 'GET', path: `/x402/transactions/${wallet.address}`, headers: {} },
    ],
    ['parseText', wallet, parseMessage('Tram fares')],
    [
      'createSpeech',
      wallet,
      jsonMessage('/audio/speech', {
        model: speechModel,
        input: 'A tram.',
        response_format: 'pcm',
      }),
    ],
    ['queueVideo', wallet, jsonMessage('/video/queue', { ...clip, prompt: 'A tram' })],
    [
      'createApiKey',
      admin,
      jsonMessage('/api_keys', { apiKeyType: 'INFERENCE', description: 'probe' }),
    ],
    ['getRateLimits', admin, { method: 'GET', path: '/api_keys/rate_limits', headers: {} }],
  ]
  const broken: string[] = []
  if (!(await isReady(origin))) broken.push('/readyz')
  for (const [operation, caller, message] of probes) {
    const seen = await sendAs(caller, origin, message)
    if (seen.kind === 'lost') broken.push(`${operation}: no response`)
    else if (seen.status !== 200)
      broken.push(`${operation}: ${seen.status} ${seen.body.toString().slice(0, 200)}`)
  }
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

async function ask<T>(origin: string, caller: Caller, message: Message): Promise<T> {
  const seen = await sendAs(caller, origin, message)
  if (seen.kind === 'response' && seen.status === 200) return JSON.parse(seen.body.toString()) as T
  throw new Error(
    `${message.path} was not answered: ${seen.kind === 'lost' ? 'lost' : `${seen.status} ${seen.body.toString()}`}`,
  )
}

async function sendAs(caller: Caller, origin: string, message: Message): Promise<Seen> {
  return send(origin, { ...message, headers: { ...message.headers, ...(await caller.headers()) } })
}
