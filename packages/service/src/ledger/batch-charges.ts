import type { Charge, ChargeResult } from './books.js'
import { wasUndone } from './refusals.js'

type ChargeOne = (charge: Charge) => Promise<ChargeResult>

/** Charges what can be charged in one statement. Undefined, at the place of each of the others: nothing was written of it. */
export type ChargeTogether = (charges: readonly Charge[]) => Promise<readonly (ChargeResult | undefined)[]>

/** Statements of one ledger that charge at once. With more of them the common ones are shorter, and so each charge is more work. */
const most = 2

/** Charges in one statement. */
const largest = 200

type Waiting = {
  readonly charge: Charge
  readonly resolve: (result: ChargeResult | Promise<ChargeResult>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Charges many at once in few statements. What comes in one turn of the event loop's microtasks goes out together, and a single charge alone; what comes
 * while its account, or too much else, is being charged waits until a statement is back: there is no clock in it. What a common statement did not charge,
 * as its credit or its Idempotency-Key was not free, is charged alone after it, and so is refused in the same words. What counts for an API key
 * always goes alone. A statement whose connection broke rejects all of its charges: nobody knows then whether they were made.
 */
export function batchCharges(alone: ChargeOne, together: ChargeTogether): ChargeOne {
  let waiting: Waiting[] = []
  const charging = new Set<string>()
  let underWay = 0
  let isAboutToSend = false

  const sendSoon = () => {
    if (isAboutToSend) return
    isAboutToSend = true
    queueMicrotask(() => {
      isAboutToSend = false
      sendWaiting()
    })
  }

  const sendWaiting = () => {
    if (underWay === most) return
    const batch = waiting.filter(({ charge }) => !charging.has(charge.account)).slice(0, largest)
    if (batch.length === 0) return
    const sent = new Set(batch)
    waiting = waiting.filter((one) => !sent.has(one))
    void send(batch)
    sendWaiting()
  }

  const send = async (batch: readonly Waiting[]) => {
    const accounts = new Set(batch.map(({ charge }) => charge.account))
    for (const account of accounts) charging.add(account)
    underWay++
    await run(batch)
    underWay--
    for (const account of accounts) charging.delete(account)
    sendSoon()
  }

  /** Never rejects. */
  const run = async (batch: readonly Waiting[]) => {
    const [first] = batch
    try {
      if (first && batch.length === 1) return first.resolve(await alone(first.charge))
      const charged = await together(batch.map(({ charge }) => charge))
      for (const [place, { charge, resolve }] of batch.entries()) resolve(charged[place] ?? alone(charge))
    } catch (error) {
      for (const { charge, resolve, reject } of batch) {
        if (batch.length > 1 && wasUndone(error)) resolve(alone(charge))
        else reject(error)
      }
    }
  }

  return (charge) => {
    if (charge.keyId !== undefined || charge.amount <= 0n) return alone(charge)
    return new Promise((resolve, reject) => {
      waiting.push({ charge, resolve, reject })
      sendSoon()
    })
  }
}
