import { memoryPaymentStore, pay, uptoSigner } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { createService, createUpstreams, type Service, type ServiceOptions } from '@farebox/service'
import { createFarebox, type Farebox } from 'farebox'
import { deepTest } from '@farebox/testing/rounds'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openEmptyDatabase } from '../packages/service/test/empty-database.js'
import {
  startFakeFacilitator,
  supportsUpto,
  type FakeFacilitator,
} from '../packages/service/test/fake-facilitator.js'

const origin = 'http://127.0.0.1:4020'
const baseUrl = `${origin}/api/v1`

const model = 'mistral-31-24b'

/** Completes every chat with "Two euros." and 1,000 + 2,000 tokens: 4,500 micro-USD. */
const chatUpstream: typeof fetch = async () => {
  const chunks = [
    { choices: [{ index: 0, delta: { content: 'Two ' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { content: 'euros.' }, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 2000 } },
  ]
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  return new Response(`${events.join('')}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
}

let facilitator: FakeFacilitator
let service: Service
let isBroken = false
const speech: NonNullable<ServiceOptions['speech']> = {
  describe: () => 'speech=test',
  async *speak({ text }) {
    if (isBroken) throw new Error('The synthesizer broke.')
    yield { bytes: new Uint8Array(text.length), made: text.length }
  },
  close: async () => undefined,
}

beforeEach(async () => {
  isBroken = false
  facilitator = await startFakeFacilitator()
  facilitator.supported = supportsUpto
  service = await createService({
    origin,
    adminKey: 'test-admin-key',
    payTo: '0x1111111111111111111111111111111111111111',
    facilitator: { url: facilitator.url, uptoUsd: 0.02 },
    database: await openEmptyDatabase(),
    speech,
    upstreams: createUpstreams(
      [
        {
          name: 'chat',
          capability: 'chat',
          url: 'https://chat.example/v1',
          apiKey: 'upstream-key',
        },
      ],
      { fetch: chatUpstream },
    ),
  })
})
afterEach(async () => {
  await service.close()
  await facilitator.close()
})

const overService: typeof fetch = async (url, init) => service.fetch(new Request(url, init))

/** The SDK, whose calls a wallet pays by `upto`, and the ledger of that wallet. */
function createPayer({ allowance = 10n ** 9n, maxUsd = 0.02 } = {}) {
  const wallet = privateKeySigner(generatePrivateKey())
  const paying = pay(uptoSigner(wallet, { readAllowance: async () => allowance }), {
    origin: baseUrl,
    allowInsecureHttp: true,
    maxUsdPerPayment: maxUsd,
    maxUsdPerDay: 1,
    appliesTo: () => true,
    store: memoryPaymentStore(),
    wait: async () => undefined,
  })
  const options = { baseUrl, allowInsecureHttp: true, retry: false } as const
  const farebox: Farebox = createFarebox({ ...options, fetch: withMiddleware(overService, paying) })
  const owner = createFarebox({
    ...options,
    fetch: overService,
    wallet,
    payments: { store: memoryPaymentStore() },
  })
  const entries = async () => {
    const { transactions } = await owner.listTransactions({ walletAddress: wallet.address })
    return transactions.map(({ type, amount }) => [type, amount])
  }
  return { farebox, entries }
}

const listSettled = () =>
  facilitator.asked
    .filter(({ path }) => path === '/settle')
    .map(({ json }) => json.paymentRequirements['amount'])

it('the SDK pays for speech with upto, and is charged what the call cost', async () => {
  const { farebox, entries } = createPayer()
  const audio = await farebox.createSpeech({ input: 'Trams.' })
  expect((await audio.arrayBuffer()).byteLength).toBe(6)
  await expect.poll(entries).toEqual([
    ['CHARGE', -0.000021],
    ['TOP_UP', 0.000021],
  ])
  expect(listSettled()).toEqual(['21'])
})

deepTest('the SDK pays a document with one cent', async () => {
  const { farebox, entries } = createPayer({ maxUsd: 0.01 })
  const { text } = await farebox.parseText({ file: new Blob(['Tram fares']) })
  expect([text, await entries()]).toEqual([
    'Tram fares',
    [
      ['CHARGE', -0.01],
      ['TOP_UP', 0.01],
    ],
  ])
})

const question = { model, messages: [{ role: 'user' as const, content: 'What is the fare?' }] }

it('the SDK pays for a chat with upto, and is charged for its tokens', async () => {
  const { farebox, entries } = createPayer()
  const { choices } = await farebox.createChatCompletion(question)
  expect(choices[0]?.message.content).toBe('Two euros.')
  expect([await entries(), listSettled()]).toEqual([
    [
      ['CHARGE', -0.0045],
      ['TOP_UP', 0.0045],
    ],
    ['4500'],
  ])
})

it('the SDK pays for a streamed chat with upto, which is settled after its last token', async () => {
  const { farebox, entries } = createPayer()
  let text = ''
  const streamed = { ...question, stream: true, stream_options: { include_usage: true } } as const
  const costs: unknown[] = []
  for await (const { choices, usage } of await farebox.createChatCompletion(streamed)) {
    text += choices[0]?.delta.content ?? ''
    if (usage) costs.push(usage.cost_usd)
  }
  expect([text, costs]).toEqual(['Two euros.', [0.0045]])
  await expect.poll(entries).toEqual([
    ['CHARGE', -0.0045],
    ['TOP_UP', 0.0045],
  ])
  expect(listSettled()).toEqual(['4500'])
})

it('a call that fails costs nothing', async () => {
  isBroken = true
  const { farebox, entries } = createPayer()
  await expect(farebox.createSpeech({ input: 'Trams.' })).rejects.toThrow()
  expect([await entries(), listSettled()]).toEqual([[], []])
})

it('a wallet without an allowance pays nothing', async () => {
  const { farebox, entries } = createPayer({ allowance: 0n })
  await expect(farebox.createSpeech({ input: 'Trams.' })).rejects.toThrow(/approve\(/)
  expect([await entries(), facilitator.asked.map(({ path }) => path)]).toEqual([[], ['/supported']])
})
