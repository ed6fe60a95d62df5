import { memoryPaymentStore } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { createPaymentRequired } from '@farebox/testing/top-up-offer'
import { afterEach, expect, test, vi } from 'vitest'
import { createFarebox, type Farebox, type FareboxOptions } from './index.js'

const signer = privateKeySigner(`0x${'11'.repeat(32)}`)
const baseUrl = 'http://127.0.0.1:4020/api/v1'
const throwNotCapable = (): never => {
  throw new Error('NotCapable: not allowed')
}
const reject = async (): Promise<never> => throwNotCapable()

afterEach(() => vi.restoreAllMocks())

type Way = {
  readonly options: () => Partial<FareboxOptions>
  readonly call?: (farebox: Farebox) => Promise<unknown>
}
const topUp = (farebox: Farebox) => farebox.topUp(5)
const speak = async (farebox: Farebox) => farebox.createSpeech({ input: 'x' })

/** Each layer, with a failure before the request of the call. */
const ways: Record<string, Way> = {
  'an environment that may not be read': {
    options: () => ({ wallet: signer }),
    call: async (farebox) => {
      vi.spyOn(process, 'env', 'get').mockImplementation(throwNotCapable)
      return topUp(farebox).finally(() => vi.restoreAllMocks())
    },
  },
  'a journal that throws': {
    options: () => ({ wallet: signer, payments: { store: { update: throwNotCapable } } }),
    call: topUp,
  },
  'a journal that rejects': {
    options: () => ({ wallet: signer, payments: { store: { update: reject } } }),
    call: topUp,
  },
  'a journal that fails before the claim': {
    options: () => {
      let updates = 0
      const { update } = memoryPaymentStore()
      return {
        wallet: signer,
        payments: {
          store: { update: async (change) => (updates++ > 1 ? throwNotCapable() : update(change)) },
        },
      }
    },
    call: topUp,
  },
  'a wallet that throws at a payment': {
    options: () => ({
      wallet: { ...signer, signTypedData: throwNotCapable } as typeof signer,
      payments: { store: memoryPaymentStore() },
    }),
    call: topUp,
  },
  'a wallet that rejects a payment': {
    options: () => ({
      wallet: { ...signer, signTypedData: reject } as typeof signer,
      payments: { store: memoryPaymentStore() },
    }),
    call: topUp,
  },
  'a wallet that throws at a sign-in': {
    options: () => ({ wallet: { ...signer, sign: throwNotCapable } }),
  },
  'a wallet that rejects a sign-in': { options: () => ({ wallet: { ...signer, sign: reject } }) },
  'a key that cannot be read': { options: () => ({ apiKey: throwNotCapable }) },
  'a key that cannot be fetched': { options: () => ({ apiKey: reject }) },
  'a store of limits that throws': {
    options: () => ({ apiKey: 'key', limitStore: { update: throwNotCapable } }),
  },
  'a store of limits that rejects': {
    options: () => ({ apiKey: 'key', limitStore: { update: reject } }),
  },
  'a clock of the limits': {
    options: () => ({ apiKey: 'key', rateLimit: { now: throwNotCapable } }),
  },
}

for (const [name, { options, call = speak }] of Object.entries(ways)) {
  test.each([{}, { retry: false } as const])(
    `${name}: nothing was sent, with the reason (%o)`,
    async (retrying) => {
      const sent: Headers[] = []
      const fetch = async (_url: unknown, init?: RequestInit) => {
        const headers = new Headers(init?.headers)
        sent.push(headers)
        return new Response(null, { status: 402, headers: createPaymentRequired() })
      }
      const farebox = createFarebox({ baseUrl, fetch, ...options(), ...retrying })
      const error: unknown = await call(farebox).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ name: 'FareboxError', mayHaveArrived: false })
      expect((error as Error).message).toContain('NotCapable: not allowed')
      expect((error as Error).message).not.toMatch(/lost|may have arrived/)
      // a request for the offers costs nothing
      expect(sent.filter((headers) => headers.has('payment-signature'))).toEqual([])
      expect(sent.length).toBeLessThanOrEqual(call === speak ? 0 : 1)
    },
  )
}
