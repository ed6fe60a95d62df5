import type { Call, Send } from '@farebox/middleware'
import { createPaymentRequired } from '@farebox/testing/top-up-offer'
import { expect, it } from 'vitest'
import { memoryPaymentStore } from './payment/payment-store.js'
import { pay } from './payment/pay.js'
import { privateKeySigner } from './keys.js'
import { readJson, readText } from './encoding.js'
import { signIn } from './sign-in/sign-in.js'

const origin = 'https://api.example'
const call: Call = { url: `${origin}/api/v1/x402/top-up`, method: 'POST', headers: new Headers() }
const signer = privateKeySigner(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
const createChallenge = () => new Response(null, { status: 402, headers: createPaymentRequired() })

/** An endless body, and how many of its chunks of 16 KiB were read. */
function createEndlessResponse(status: number) {
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

const payWith = (send: Send) =>
  pay(signer, {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 5,
    wait: async () => {},
    store: memoryPaymentStore(),
  })(send)(call)

it.each<[string, (response: Response) => Promise<unknown>, number]>([
  ['an offer', (response) => payWith(async () => response), 402],
  [
    'a rejection of a payment',
    (response) =>
      payWith(async ({ headers }) =>
        headers.has('payment-signature') ? response : createChallenge(),
      ),
    402,
  ],
  [
    'a 401 while signatures are reused',
    (response) => {
      const responses = [response, new Response()]
      return signIn(signer, { origin, reuse: true })(
        async () => responses.shift() ?? new Response(),
      )(call)
    },
    401,
  ],
])('reads no more than the first 64 KiB of %s', async (_what, use, status) => {
  const { state, response } = createEndlessResponse(status)
  await use(response).catch(() => undefined)
  // a copy of the response reads one chunk ahead
  expect(state.parts).toBeLessThanOrEqual(5)
  expect(state.cancelled).toBe(true)
})

it('reads JSON of at most 64 KiB, also in chunks that split a character, and rejects broken or invalid bodies', async () => {
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
