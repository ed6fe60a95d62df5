import { expect, test } from 'vitest'
import type { PaymentRecord, PaymentStore } from '../src/payment/payment-store.js'

/** The records in a store. */
export async function readRecords(store: PaymentStore): Promise<readonly PaymentRecord[]> {
  let current: readonly PaymentRecord[] = []
  await store.update((records) => (current = records))
  return current
}

export const createRecord = (number: number): PaymentRecord => ({
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
 * The contract of every store. `create` returns an empty store as a function `open`, which opens
 * the same records again, like another process.
 */
export function describeStore(create: () => Promise<() => PaymentStore>): void {
  test('begins empty, and keeps its records for later readers', async () => {
    const open = await create()
    expect(await readRecords(open())).toEqual([])
    await open().update((records) => [...records, createRecord(1)])
    await open().update((records) => [...records, createRecord(2)])
    expect(await readRecords(open())).toEqual([createRecord(1), createRecord(2)])
  })

  test('loses no update, however many run at a time', async () => {
    const open = await create()
    const numbers = Array.from({ length: 40 }, (_, at) => at)
    await Promise.all(
      numbers.map((number) => open().update((records) => [...records, createRecord(number)])),
    )
    const nonces = (await readRecords(open())).map(({ nonce }) => Number(nonce.slice(2)))
    expect(nonces.toSorted((left, right) => left - right)).toEqual(numbers)
  })
}
