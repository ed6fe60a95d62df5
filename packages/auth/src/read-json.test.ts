import type { Call, Send } from '@farebox/middleware'
import { expect, it } from 'vitest'
import { encodeJsonHeader } from './encode-json-header.js'
import { payment } from './payment.js'
import { privateKeySigner } from './private-key-signer.js'
import { readJson, readText } from './read-json.js'
import { wallet } from './wallet.js'

const origin = 'http://api.example'
const call: Call = { url: `${origin}/api/v1/x402/top-up`, method: 'POST', headers: new Headers() }
const signer = privateKeySigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
}
const discovery = () =>
  new Response(null, { status: 402, headers: { 'payment-required': encodeJsonHeader({ x402Version: 2, accepts: [offer] }) } })

/** A body that never ends, and how many of its parts of 16 KiB were asked for. */
function endless(status: number) {
  const state = { parts: 0, cancelled: false }
  const part = new TextEncoder().encode(' '.repeat(16_384))
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (++state.parts > 1000) throw new Error('the whole body is read')
        controller.enqueue(part)
      },
      cancel: () => void (state.cancelled = true),
    },
    { highWaterMark: 0 },
  )
  return { state, response: new Response(body, { status }) }
}

const pay = (send: Send) => payment(signer, { origin, maxUsdPerPayment: 5, maxUsdPerDay: 5, wait: async () => {} })(send)(call)

it.each<[string, (response: Response) => Promise<unknown>, number]>([
  ['an offer', (response) => pay(async () => response), 402],
  ['a refusal of a payment', (response) => pay(async ({ headers }) => (headers.has('payment-signature') ? response : discovery())), 402],
  [
    'a 401 while signatures are reused',
    (response) => {
      const answers = [response, new Response()]
      return wallet(signer, { origin, reuse: true })(async () => answers.shift() ?? new Response())(call)
    },
    401,
  ],
])('reads no more than 64 KiB of %s', async (_what, use, status) => {
  const { state, response } = endless(status)
  await use(response).catch(() => undefined)
  expect(state).toEqual({ parts: 4, cancelled: true })
})

it('takes JSON that is short enough, in parts that cut a character, and nothing that breaks off or is no JSON', async () => {
  const bytes = new TextEncoder().encode('{"error":"zu früh"}')
  const parts = (broken: boolean) =>
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        if (broken) controller.error(new TypeError('terminated'))
        else controller.close()
      },
    })
  expect(await readJson(new Response(parts(false)))).toEqual({ error: 'zu früh' })
  expect(await readJson(new Response(parts(true)))).toBeUndefined()
  expect(await readJson(new Response('<html>'))).toBeUndefined()
  expect(await readText(new Response(null))).toBe('')
})
