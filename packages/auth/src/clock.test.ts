import type { Call, Send } from '@farebox/middleware'
import * as fc from 'fast-check'
import { createPaymentRequired, topUpOffer } from '@farebox/testing/top-up-offer'
import { describe, expect, it, test, vi } from 'vitest'
import { readRecords } from '../test/store-contract.js'
import { createServerClock } from './clock.js'
import { decodeJsonHeader } from './encoding.js'
import { memoryPaymentStore } from './payment/payment-store.js'
import { pay, type PayOptions } from './payment/pay.js'
import { privateKeySigner } from './keys.js'
import { signIn } from './sign-in/sign-in.js'

const start = Date.UTC(2026, 5, 30, 12)
const minute = 60_000
const hour = 3_600_000
const origin = 'https://api.example'
const signer = privateKeySigner(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
const topUp: Call = { url: `${origin}/api/v1/x402/top-up`, method: 'POST', headers: new Headers() }
const withDate = (date: string, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  new Response('{}', { status, headers: { date, ...headers } })
const toHttpDate = (milliseconds: number) => new Date(milliseconds).toUTCString()
const offerFor = (seconds: number) => ({
  ...createPaymentRequired({ ...topUpOffer, maxTimeoutSeconds: seconds }),
})

/** A Date header of any year, near our own time, malformed, negative, or sent more than once. */
const oneDate = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.integer({ min: -2 * hour, max: 2 * hour }).map((offset) => toHttpDate(start + offset)),
  fc.string({ unit: 'binary-ascii' }).map((text) => text.replace(/[^\x20-\x7e]/g, ' ')),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '5',
    '-62135596800',
    '1e99',
    'NaN',
    'Infinity',
    'Tue, 30 Jun -2026 12:00:00 GMT',
    'Tue, 31 Feb 2026 99:00:00 GMT',
  ),
  fc.constantFrom(
    '2099-01-01T00:00:00Z',
    'Tuesday, 30-Jun-99 12:00:00 GMT',
    'Tue Jun 30 12:00:00 2099',
    'Tue, 30 Jun 99999 12:00:00 GMT',
  ),
)
const anyDate = fc.array(oneDate, { minLength: 1, maxLength: 3 }).map((dates) => dates.join(', '))

describe('the clock of a service', () => {
  it('is followed up to 15 minutes, and no further', () => {
    for (const [offset, followed] of [
      [15 * minute, true],
      [-15 * minute, true],
      [15 * minute + 1000, false],
      [-15 * minute - 1000, false],
      [30 * 24 * hour, false],
    ] as const) {
      const clock = createServerClock(() => start)
      const mismatch = clock.learn(withDate(toHttpDate(start + offset)))
      expect([offset, clock.now() - start, mismatch === undefined]).toEqual([
        offset,
        followed ? offset : 0,
        followed,
      ])
    }
  })

  it('reports both times if they are further apart', () => {
    expect(createServerClock(() => start).learn(withDate('Thu, 31 Dec 2099 00:00:00 GMT'))).toBe(
      "the service's clock is at 2099-12-31T00:00:00.000Z, ours at 2026-06-30T12:00:00.000Z; set the wrong one",
    )
  })

  it('keeps its offset after a wrong Date, and updates it after the next correct one', () => {
    const clock = createServerClock(() => start)
    for (const [date, offset] of [
      [toHttpDate(start + 10 * minute), 10 * minute],
      [toHttpDate(start + 24 * hour), 10 * minute],
      [toHttpDate(start), 0],
    ] as const) {
      clock.learn(withDate(date))
      expect(clock.now() - start).toBe(offset)
    }
  })

  it('never differs from ours by more than 15 minutes, for any dates in any order', () => {
    fc.assert(
      fc.property(fc.array(anyDate, { maxLength: 20 }), (dates) => {
        const clock = createServerClock(() => start)
        for (const date of dates) {
          clock.learn(withDate(date))
          expect(Math.abs(clock.now() - start)).toBeLessThanOrEqual(15 * minute)
        }
      }),
    )
  })
})

/** A service that plays a Date with each response; its offers are valid for so many seconds. */
function createPayer(
  date: string,
  response: (call: Call) => Response | undefined,
  options: Partial<PayOptions> = {},
  seconds = 300,
) {
  const payments: { readonly validBefore: number; readonly header: string }[] = []
  const send: Send = async (call) => {
    const header = call.headers.get('payment-signature')
    if (header === null) return withDate(date, 402, offerFor(seconds))
    const { payload } = decodeJsonHeader(header) as {
      payload: { authorization: { validBefore: string } }
    }
    payments.push({ validBefore: Number(payload.authorization.validBefore) * 1000, header })
    return response(call) ?? withDate(date)
  }
  const store = memoryPaymentStore()
  const middleware = pay(signer, {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: Infinity,
    now: () => start,
    wait: async () => {},
    store,
    ...options,
  })
  return { payments, store, send: middleware(send) }
}

test('no payment is valid or held for more than an hour by our own clock, for any Date and any time in an offer', async () => {
  await fc.assert(
    fc.asyncProperty(anyDate, fc.integer({ min: -1, max: 2 ** 31 }), async (date, seconds) => {
      const { payments, store, send } = createPayer(date, () => withDate(date, 500), {}, seconds)
      const isFar = createServerClock(() => start).learn(withDate(date)) !== undefined
      await expect(send(topUp)).rejects.toMatchObject({
        code: isFar ? 'clock_mismatch' : 'outcome_unknown',
      })
      expect(payments.length > 0).toBe(!isFar)
      for (const { validBefore } of payments) expect(validBefore).toBeLessThanOrEqual(start + hour)
      for (const { heldUntil } of await readRecords(store))
        expect(heldUntil).toBeLessThanOrEqual(start + hour + minute)
    }),
    { numRuns: 60 },
  )
})

test('a payment to a service whose clock is slightly off is signed with that time', async () => {
  for (const offset of [10 * minute, -10 * minute]) {
    const { payments, send } = createPayer(toHttpDate(start + offset), () => undefined)
    expect((await send(topUp)).status).toBe(200)
    expect(payments.map(({ validBefore }) => validBefore)).toEqual([start + offset + 5 * minute])
  }
})

test('by our own clock the longest offer is valid for an hour, however far ahead the service’s is', async () => {
  const { payments, send } = createPayer(toHttpDate(start + 10 * minute), () => undefined, {}, 3600)
  expect((await send(topUp)).status).toBe(200)
  expect(payments.map(({ validBefore }) => validBefore)).toEqual([start + hour])
})

test('a wrong Date and a 500 delay later top-ups only as long as the payment can be settled', async () => {
  let time = start
  let date: string | undefined = 'Fri, 31 Dec 9999 00:00:00 GMT'
  const payments: string[] = []
  const store = memoryPaymentStore()
  const send = pay(signer, {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: Infinity,
    now: () => time,
    wait: async () => {},
    store,
  })(async ({ headers }) => {
    const header = headers.get('payment-signature')
    if (header !== null) payments.push(header)
    return withDate(
      date ?? toHttpDate(time),
      header === null ? 402 : date === undefined ? 200 : 500,
      header === null ? offerFor(300) : {},
    )
  })
  await expect(send(topUp)).rejects.toMatchObject({ code: 'clock_mismatch', outcome: 'not_paid' })
  expect(payments).toEqual([])
  date = toHttpDate(time)
  await expect(send(topUp)).rejects.toMatchObject({ code: 'outcome_unknown' })
  date = undefined
  time += 6 * minute
  expect((await send(topUp)).status).toBe(200)
  expect(new Set(payments).size).toBe(2)
})

test('nothing is signed while the clocks are days apart, and the error has both times and advice', async () => {
  for (const days of [2, -2]) {
    const { payments, send } = createPayer(toHttpDate(start + days * 24 * hour), () => undefined)
    const message = `Payment: nothing was signed, because the service's clock is at ${new Date(start + days * 24 * hour).toISOString()}, ours at 2026-06-30T12:00:00.000Z; set the wrong one`
    await expect(send(topUp)).rejects.toMatchObject({
      name: 'PaymentError',
      code: 'clock_mismatch',
      message,
    })
    expect(payments).toEqual([])
  }
})

test.each([
  [400, undefined, 'clock_mismatch'],
  [400, 'INVALID_PAYMENT', 'clock_mismatch'],
  [402, undefined, 'clock_mismatch'],
  [402, 'invalid_exact_evm_payload_authorization_valid_before', 'clock_mismatch'],
  [402, 'invalid_exact_evm_payload_signature', 'payment_refused'],
])(
  'a payment that is rejected with %s and the reason %s while the clocks are days apart is %s',
  async (status, reason, code) => {
    const far = toHttpDate(start + 48 * hour)
    const rejection = () =>
      new Response(JSON.stringify({ error: reason }), { status, headers: { date: far } })
    const { send } = createPayer(toHttpDate(start), rejection)
    const error: unknown = await send(topUp).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code,
      status,
      outcome: code === 'clock_mismatch' ? 'unknown' : 'not_paid',
      retryable: false,
    })
    if (code === 'clock_mismatch') {
      expect((error as Error).message).toContain('2026-07-02T12:00:00.000Z')
      expect((error as Error).message).toContain('2026-06-30T12:00:00.000Z')
    }
  },
)

test('no sign-in is issued more than 15 minutes from our own clock, for any earlier Date', async () => {
  await fc.assert(
    fc.asyncProperty(anyDate, async (date) => {
      const issued: number[] = []
      const send = signIn(signer, { origin, now: () => start })(async ({ headers }) => {
        const { timestamp, message } = decodeJsonHeader(headers.get('sign-in-with-x')) as {
          timestamp: number
          message: string
        }
        expect(message).toContain(`Issued At: ${new Date(timestamp).toISOString()}`)
        issued.push(timestamp)
        return withDate(date, 401)
      })
      await send({ ...topUp, url: `${origin}/api/v1/models` }).catch(() => undefined)
      expect(issued).toHaveLength(2)
      for (const time of issued) expect(Math.abs(time - start)).toBeLessThanOrEqual(15 * minute)
    }),
    { numRuns: 40 },
  )
})

test('a sign-in that is rejected while the clocks are days apart is an error with both times; otherwise the 401 is returned', async () => {
  const rejecting = (date: string) =>
    signIn(signer, { origin, now: () => start })(async () => withDate(date, 401))(topUp)
  await expect(rejecting(toHttpDate(start - 48 * hour))).rejects.toMatchObject({
    name: 'AuthError',
    code: 'clock_mismatch',
    message:
      "Sign-in: rejected, and the service's clock is at 2026-06-28T12:00:00.000Z, ours at 2026-06-30T12:00:00.000Z; set the wrong one",
  })
  expect((await rejecting(toHttpDate(start + 10 * minute))).status).toBe(401)
  expect((await rejecting('soon')).status).toBe(401)
})

test('ignores the Date of another origin', async () => {
  const issued: number[] = []
  const send = signIn(signer, { origin, now: () => start })(async ({ headers, url }) => {
    if (!url.startsWith(`${origin}/`)) return withDate(toHttpDate(start + 10 * minute), 401)
    issued.push(
      (decodeJsonHeader(headers.get('sign-in-with-x')) as { timestamp: number }).timestamp,
    )
    return new Response()
  })
  await send({ ...topUp, url: 'https://other.example/' })
  await send({ ...topUp, url: 'https://api.example.evil.example/' })
  await send(topUp)
  expect(issued).toEqual([start])
})

test('with reuse, the lifetime of a signature follows our own clock, not the service’s', async () => {
  let time = start
  let signatures = 0
  const counting = {
    ...signer,
    sign: async (message: string) => (signatures++, signer.sign(message)),
  }
  const dates = [start, start - 14 * minute, start - 14 * minute]
  const send = signIn(counting, { origin, now: () => time, reuse: true })(async () =>
    withDate(toHttpDate(dates.shift() ?? time)),
  )
  await send(topUp)
  await send(topUp)
  time += 8 * minute
  await send(topUp)
  expect(signatures).toBe(2)
})

test('with reuse, a signature expires after the elapsed time even if the wall clock is set back', async () => {
  const elapsed = vi.spyOn(performance, 'now').mockReturnValue(1000)
  let time = start
  let signatures = 0
  const counting = {
    ...signer,
    sign: async (message: string) => (signatures++, signer.sign(message)),
  }
  const send = signIn(counting, { origin, now: () => time, reuse: true })(
    async () => new Response(),
  )
  await send(topUp)
  time -= hour
  elapsed.mockReturnValue(1000 + 8 * minute - 1)
  await send(topUp)
  expect(signatures).toBe(1)
  elapsed.mockReturnValue(1000 + 8 * minute)
  await send(topUp)
  expect(signatures).toBe(2)
  elapsed.mockRestore()
})
