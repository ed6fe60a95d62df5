import { expect, test } from 'vitest'
import type { PaymentRecord, PaymentStore } from '../src/payment/payment-store.js'
import { recordsOf } from './records-of.js'

export const recordOf = (number: number): PaymentRecord => ({
  nonce: `0x${String(number).padStart(64, '0')}`,
  origin: 'https://api.example',
  payer: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
  network: 'eip155:8453',
  amount: '5000000',
  headerName: 'PAYMENT-SIGNATURE',
  header: 'e30=',
  signedAt: 0,
  heldUntil: 360_000,
  state: 'unanswered',
})

/**
 * What every store promises. `open` gives another view of the same records, as another process has
 * it; `make` gives an empty store.
 */
export function describeStore(make: () => Promise<() => PaymentStore>): void {
  test('begins empty, and keeps what was written for those that come later', async () => {
    const open = await make()
    expect(await recordsOf(open())).toEqual([])
    await open().update((records) => [...records, recordOf(1)])
    await open().update((records) => [...records, recordOf(2)])
    expect(await recordsOf(open())).toEqual([recordOf(1), recordOf(2)])
  })

  test('loses no update, however many come at a time', async () => {
    const open = await make()
    const numbers = Array.from({ length: 40 }, (_, at) => at)
    await Promise.all(numbers.map((number) => open().update((records) => [...records, recordOf(number)])))
    const nonces = (await recordsOf(open())).map(({ nonce }) => Number(nonce.slice(2)))
    expect(nonces.toSorted((one, other) => one - other)).toEqual(numbers)
  })
}
