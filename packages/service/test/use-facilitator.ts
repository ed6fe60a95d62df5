import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { ServiceOptions } from '../src/app/create-service.js'
import type { OpenDatabase } from './databases.js'
import { startFakeFacilitator, type FakeFacilitator } from './fake-facilitator.js'
import { startService, type TestResponse, type Harness } from './harness.js'
import { createAddress } from './other-address.js'

export const key = 'facilitator_s3cret_key'
export const payToSolana = '1nc1nerator11111111111111111111111111111111'

export type FacilitatorFixture = {
  /** Made anew for each case; a case may put others in their place. */
  facilitator: FakeFacilitator
  farebox: Harness
  storage: Pick<OpenDatabase, 'database' | 'close'>
  /** The waits, in order; each can be made to pass. */
  readonly timeouts: { readonly milliseconds: number; readonly fire: () => void }[]
  /** Another process on the same ledger, as if the previous ones had been killed. */
  readonly serve: (options?: Partial<ServiceOptions>) => Promise<Harness>
  readonly topUp: (
    header?: string,
    options?: { readonly via?: Harness; readonly idempotencyKey?: string },
  ) => Promise<TestResponse>
  /** What the facilitator was asked at that path. */
  readonly asked: (path: string) => FakeFacilitator['asked'][number][]
  /** The balance, after an audit of the ledger. */
  readonly credited: (address: string) => Promise<bigint>
}

/**
 * A service whose payments a facilitator settles, for the tests of the calling `describe`.
 */
export function useFacilitator(
  open: () => Promise<Pick<OpenDatabase, 'database' | 'close'>>,
): FacilitatorFixture {
  const at = {
    timeouts: [] as { readonly milliseconds: number; readonly fire: () => void }[],
    serve: (options = {}) => {
      const timeout = (milliseconds: number) => {
        const controller = new AbortController()
        at.timeouts.push({
          milliseconds,
          fire: () => controller.abort(new DOMException('', 'TimeoutError')),
        })
        return controller.signal
      }
      const database = { ...at.storage.database, close: async () => undefined }
      return startService({
        database,
        payToSolana,
        facilitator: { url: at.facilitator.url, key, timeout },
        ...options,
      })
    },
    topUp: (header, { via = at.farebox, idempotencyKey = '' } = {}) =>
      via.call('topUp', '/x402/top-up', {
        method: 'POST',
        headers: {
          ...(header !== undefined && { 'payment-signature': header }),
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        from: createAddress(),
      }),
    asked: (path) => at.facilitator.asked.filter((one) => one.path === path),
    credited: async (address) => {
      expect(await at.farebox.ledger.audit()).toEqual([])
      return at.farebox.ledger.balance(address)
    },
  } as FacilitatorFixture
  beforeAll(async () => void (at.storage = await open()))
  afterAll(() => at.storage.close())
  beforeEach(async () => {
    at.facilitator = await startFakeFacilitator()
    at.timeouts.length = 0
    at.farebox = await at.serve()
  })
  afterEach(() => at.facilitator.close())
  return at
}
