import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryPaymentStore } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createPaymentRequired, topUpOffer } from '@farebox/testing/top-up-offer'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { stopClock } from '../test/stop-clock.js'
import { createFarebox } from './farebox.js'
import { FareboxError } from './error.js'
import type { FareboxEvent } from './options.js'
import type { FareboxOptions } from './options.js'

const state = mkdtempSync(join(tmpdir(), 'farebox-payments-'))
afterAll(() => rmSync(state, { recursive: true }))

const baseUrl = 'https://api.example.test/api/v1'
/** A service that settles each payment once, and the SDK objects that pay it. */
function createService(options: FareboxOptions = {}, { isLost = false } = {}) {
  const settled = new Set<string>()
  const signIns = new Set<string | null>()
  const wallet = privateKeySigner(generatePrivateKey())
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const headers = new Headers(init?.headers)
    const payment = headers.get('payment-signature')
    if (headers.has('sign-in-with-x')) {
      signIns.add(headers.get('sign-in-with-x'))
      return Response.json({ success: true, data: { balanceUsd: 5 } })
    }
    if (payment === null)
      return new Response(null, { status: 402, headers: createPaymentRequired() })
    settled.add(payment)
    if (isLost) return new Response(null, { status: 504 })
    return Response.json({
      success: true,
      data: { walletAddress: wallet.address, amountCredited: 5, newBalance: 5, paymentId: 'p' },
    })
  }
  const make = () => createFarebox({ baseUrl, wallet, fetch, retry: false, ...options })
  return { make, settled, signIns }
}

const catchErrorCode = (running: Promise<unknown>) =>
  running.then(
    () => 'paid',
    (error: unknown) => (error instanceof FareboxError ? error.code : error),
  )

describe('payments of the SDK', () => {
  it.each([NaN, -5, 0, '5', undefined])(
    'reject the amount %o before anything is sent',
    async (usd) => {
      const { make, settled } = createService({ payments: { store: memoryPaymentStore() } })
      const error: unknown = await make()
        .topUp(usd as number)
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'invalid_input',
        operation: 'topUp',
        attempts: 0,
        message: expect.stringMatching(
          /^topUp: the amount is .* Expected a number above 0\./,
        ) as unknown,
      })
      expect(settled.size).toBe(0)
    },
  )

  it('share the daily cap over all objects of the user by default', async () => {
    vi.stubEnv('XDG_STATE_HOME', join(state, 'shared'))
    const { make, settled } = createService({
      payments: { topUp: { amountUsd: 5, maxUsdPerDay: 5 } },
    })
    const outcomes = await Promise.all(
      [make(), make(), make()].map((farebox) => catchErrorCode(farebox.topUp(5))),
    )
    expect(outcomes).toEqual(expect.arrayContaining(['over_daily_cap', 'over_daily_cap', 'paid']))
    expect(settled.size).toBe(1)
    // like after a restart
    expect(await catchErrorCode(make().topUp(5))).toBe('over_daily_cap')
  })

  it('are rejected if they cannot be recorded', async () => {
    vi.stubEnv('XDG_STATE_HOME', '/dev/null/farebox')
    const { make, settled } = createService()
    expect(await catchErrorCode(make().topUp(5))).toBe('journal_unavailable')
    expect(settled.size).toBe(0)
  })

  it('obey store, payTo, networks and maxUsdPerPayment', async () => {
    const store = memoryPaymentStore()
    for (const [options, amount, code] of [
      [{ maxUsdPerPayment: 7 }, 8, 'over_payment_cap'],
      [{ payTo: [`0x${'2'.repeat(40)}`] }, 5, 'no_acceptable_offer'],
      [{ networks: ['eip155:84532'] }, 5, 'no_acceptable_offer'],
      [{ maxUsdPerPayment: 7, payTo: [topUpOffer.payTo], networks: ['eip155:8453'] }, 5, 'paid'],
    ] as const) {
      const { make, settled } = createService({ payments: { store, ...options } })
      expect(await catchErrorCode(make().topUp(amount))).toBe(code)
      expect(settled.size).toBe(code === 'paid' ? 1 : 0)
    }
    let records = 0
    await store.update((all) => ((records = all.length), all))
    expect(records).toBe(1)
    expect(() => createService({ payments: { maxUsdPerPayment: NaN } }).make()).toThrow(
      'maxUsdPerPayment is NaN',
    )
  })

  it('need both caps of topUp as numbers', () => {
    for (const topUp of [
      { amountUsd: 5 },
      { maxUsdPerDay: 5 },
      { amountUsd: 5, maxUsdPerDay: undefined },
      { amountUsd: 5, maxUsdPerDay: NaN },
      { amountUsd: -5, maxUsdPerDay: 5 },
    ]) {
      expect(() => createService({ payments: { topUp: topUp as never } }).make()).toThrow(
        /^(amountUsd|maxUsdPerDay) is (NaN|-5|undefined)\. Expected a number/,
      )
    }
    expect(() =>
      createService({ payments: { topUp: { amountUsd: 5, maxUsdPerDay: Infinity } } }).make(),
    ).not.toThrow()
  })

  it('are not hidden by a listener that throws', async () => {
    const onEvent = ({ type }: FareboxEvent) => {
      if (type === 'top-up') throw new Error('mine')
    }
    const { make, settled } = createService({ payments: { store: memoryPaymentStore() }, onEvent })
    expect([await catchErrorCode(make().topUp(5)), settled.size]).toEqual(['paid', 1])
  })

  it('happen once after lost responses, however many objects retry', async () => {
    const { make, settled } = createService(
      { payments: { store: memoryPaymentStore() } },
      { isLost: true },
    )
    await stopClock({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    for (let run = 0; run < 3; run++) {
      const running = catchErrorCode(make().topUp(5))
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await running).toBe('outcome_unknown')
    }
    vi.useRealTimers()
    expect(settled.size).toBe(1)
  })

  it('use the clock of `retry`', async () => {
    const signedAt = Date.UTC(2026, 5, 30, 12)
    const waits: number[] = []
    const wait = async (milliseconds: number) => void waits.push(milliseconds)
    const store = memoryPaymentStore()
    const { make } = createService(
      { payments: { store }, retry: { now: () => signedAt, wait } },
      { isLost: true },
    )
    expect(await catchErrorCode(make().topUp(5))).toBe('outcome_unknown')
    expect(waits).toEqual([1000, 2000])
    await store.update((records) => (expect(records).toMatchObject([{ signedAt }]), records))
  })

  it('say in the cause of an error until when they may be settled', async () => {
    const signedAt = Date.UTC(2026, 5, 30, 12)
    const { make } = createService(
      {
        payments: { store: memoryPaymentStore() },
        retry: { now: () => signedAt, wait: async () => undefined },
      },
      { isLost: true },
    )
    const error: unknown = await make()
      .topUp(5)
      .catch((thrown: unknown) => thrown)
    // five minutes by the offer, and one because the clocks of chains differ
    expect(error).toMatchObject({
      cause: { code: 'outcome_unknown', heldUntil: signedAt + 360_000 },
    })
  })
})

it('reuse signs in once for all calls', async () => {
  for (const [reuse, signatures] of [
    [true, 1],
    [false, 2],
  ] as const) {
    const { make, signIns } = createService({ signIn: { reuse } })
    const farebox = make()
    await farebox.balance()
    await farebox.balance()
    expect(signIns.size).toBe(signatures)
  }
})

it('emits an event if reuse has no effect', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const events: string[] = []
  const used = new Set<string | null>()
  const farebox = createFarebox({
    baseUrl,
    wallet: privateKeySigner(generatePrivateKey()),
    signIn: { reuse: true },
    onEvent: ({ type }) => void events.push(type),
    fetch: async (_url, init) => {
      const header = new Headers(init?.headers).get('sign-in-with-x')
      if (used.has(header))
        return Response.json({ error: 'x', code: 'X402_SIGN_IN_NONCE_REUSED' }, { status: 401 })
      used.add(header)
      return Response.json({ success: true, data: { balanceUsd: 5 } })
    },
  })
  for (let n = 0; n < 4; n++) await farebox.balance()
  expect(events.filter((type) => type === 'reuse-rejected')).toHaveLength(1)
})

it('sends credentials over plain HTTP to this machine only, unless allowed', () => {
  const wallet = privateKeySigner(generatePrivateKey())
  for (const access of [{ apiKey: 'key-1' }, { wallet }]) {
    for (const host of ['api.example', '10.0.0.7:4020']) {
      const options = { baseUrl: `http://${host}/api/v1`, ...access }
      expect(() => createFarebox(options)).toThrow(
        expect.objectContaining({
          code: 'configuration',
          message: `Auth: http://${host} is plain HTTP; use https or allowInsecureHttp`,
        }) as Error,
      )
      expect(createFarebox({ ...options, allowInsecureHttp: true })).toHaveProperty('topUp')
    }
    expect(createFarebox({ baseUrl: 'http://localhost:4020/api/v1', ...access })).toHaveProperty(
      'topUp',
    )
  }
  expect(createFarebox({ baseUrl: 'http://api.example/api/v1', apiKey: '' })).toHaveProperty(
    'topUp',
  )
})
