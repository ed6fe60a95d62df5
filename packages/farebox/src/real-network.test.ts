import { memoryPaymentStore, pay } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import type { LedgerEntry } from '@farebox/types'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startRealNetwork } from '../test/real-network.js'
import { createFarebox } from './farebox.js'
import type { FareboxOptions } from './options.js'
import { validation } from './validation.js'

let network: Awaited<ReturnType<typeof startRealNetwork>>
beforeEach(async () => void (network = await startRealNetwork()))
afterEach(() => network.close())

const connect = (options: FareboxOptions = {}) => {
  const wallet = privateKeySigner(generatePrivateKey())
  return {
    wallet,
    farebox: createFarebox({
      baseUrl: network.baseUrl,
      wallet,
      payments: {
        store: memoryPaymentStore(),
        topUp: { amountUsd: 10, maxUsdPerDay: 10 },
      },
      validation: validation(),
      ...options,
    }),
  }
}
const countRejected = () => network.traffic.responses.filter((line) => line.endsWith(' 429')).length

test('a wallet tops up once and calls, with the defaults, and a balance header that is absent is undefined', async () => {
  const { farebox, wallet } = connect()
  const { balanceUsd } = await farebox.createSpeech({ input: 'Two tickets.' }).withResponse()
  expect(balanceUsd).toBeUndefined()
  expect((await farebox.getBalance({ walletAddress: wallet.address })).balanceUsd).toBe(9.75)
  expect(network.traffic.payments.size).toBe(1)
})

test('the limit of five requests at a time is learned: later calls wait instead of being rejected', async () => {
  const { farebox } = connect()
  const speak = () => farebox.createSpeech({ input: 'Two tickets.' })
  const speakAtOnce = (count: number) => Promise.all(Array.from({ length: count }, speak))
  await farebox.topUp(10)
  await speak()
  // all of them are on their way before the first is rejected
  network.traffic.rejectionsToAwait = 14 - 5
  await speakAtOnce(14)
  const before = countRejected()
  await speakAtOnce(14)
  expect(countRejected()).toBe(before)
  expect(network.traffic.inFlight).toBe(5)
})

test('a sign-in is used once, even with reuse', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { farebox } = connect({ signIn: { reuse: true } })
  for (let n = 0; n < 4; n++) await farebox.createSpeech({ input: 'Two tickets.' })
  expect(warn).toHaveBeenCalledTimes(1)
  const { responses } = network.traffic
  expect(responses.filter((line) => line.endsWith(' 401'))).toHaveLength(1)
  warn.mockRestore()
})

test('a payment that an inference call rejects pays for nothing, and the next top-up reuses its nonce', async () => {
  const wallet = privateKeySigner(generatePrivateKey())
  const store = memoryPaymentStore()
  const origin = network.baseUrl
  const payment = pay(wallet, {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 5,
    store,
    appliesTo: () => true,
  })
  const paying = withMiddleware(fetch, payment)
  const given = await paying(`${origin}/audio/speech`, { method: 'POST', body: '{}' })
  expect([given.status, await given.json()]).toMatchObject([
    400,
    { code: 'PAYMENT_HEADER_NOT_ACCEPTED' },
  ])
  expect((await paying(`${origin}/x402/top-up`, { method: 'POST' })).status).toBe(200)
  expect(network.traffic.payments.size).toBe(1)
})

test('fields that are null count as absent, but other invalid values are rejected', async () => {
  const farebox = createFarebox({
    baseUrl: network.baseUrl,
    apiKey: 'admin',
    validation: validation(),
  })
  const { apiKey, id } = await farebox.createApiKey({
    apiKeyType: 'INFERENCE',
    description: 'till 4',
  })
  expect([apiKey, id]).toEqual([
    'VENICE_INFERENCE_KEY_planted',
    '0b2d3c4e-5f60-4a71-8b92-a3b4c5d6e7f8',
  ])
})

test('all ledger rows of one request are read', async () => {
  const { farebox } = connect()
  await farebox.createSpeech({ input: 'Two tickets.' })
  const rows: LedgerEntry[] = []
  for await (const row of farebox.transactions()) rows.push(row)
  expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(1)
  expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(-0.25)
})

test('a video URL that only the queue response contains is fetched', async () => {
  const { farebox } = connect()
  const video = await farebox.generateVideo({
    model: 'wan-2.5-preview-text-to-video',
    prompt: 'A tram.',
    duration: '5s',
  })
  expect((await video.arrayBuffer()).byteLength).toBe(8)
})
