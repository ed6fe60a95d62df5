import type { Database } from '../database/database.js'
import { momentOf, type CaptureResult, type Idempotency, type LedgerOptions } from './books.js'
import type { MicroUsd } from './money.js'
import { createRefund } from './refund.js'
import { createSettleAlone } from './settle-alone.js'
import { createSettleTogether, type Settled, type Settlement } from './settle-together.js'
import { shareStatements } from './share-statements.js'

/**
 * What becomes of credit that was taken: a hold is captured or released, a charge is refunded. Each happens once, whoever asks how often. Captures and
 * releases that come at once share a statement.
 */
export type Settling = {
  /**
   * Charges what the work cost, at most what was held, and gives the rest free. Under an Idempotency-Key that was charged before, all of it is
   * given free. `settled`: the hold was settled before, or nothing was to be captured.
   */
  readonly capture: (holdId: string, amount: MicroUsd, modelId?: string | null, idempotency?: Idempotency) => Promise<CaptureResult>
  /** Gives all of it free. False when the hold was settled before. */
  readonly release: (holdId: string) => Promise<boolean>
  /** Releases holds whose time is over: their work died with its process. Answers how many. */
  readonly releaseExpired: () => Promise<number>
  /** Gives back whatever came of a hold, also when nobody knows what did: what is held is released, what was charged is refunded. */
  readonly undo: (holdId: string) => Promise<void>
  /** Gives a charge back, and forgets its Idempotency-Key: what is tried again is paid again. False when there is no such charge, or it was given back before. */
  readonly refund: (entryId: string) => Promise<boolean>
}

/** Of a capture whose key came and went. */
const attempts = 5

/** Expired holds that are looked for at a time. */
const most = 200

export function createSettling(database: Database, options: LedgerOptions): Settling {
  const refund = createRefund(database, options)
  const settle = shareStatements<Settlement, Settled | undefined>({
    subjectOf: ({ holdId }) => holdId,
    alone: createSettleAlone(database, options),
    together: createSettleTogether(database, options),
  })
  const release: Settling['release'] = async (holdId) => (await settle({ holdId, amount: 0n, modelId: null })) !== undefined

  /** Nothing when there was nothing to capture, or not enough. */
  const captureOnce = async (settlement: Settlement): Promise<CaptureResult | undefined> => {
    const settled = settlement.amount > 0n ? await settle(settlement) : undefined
    if (settled) return { status: 'captured', ...settled }
    const { holdId, idempotency } = settlement
    if (!idempotency) return undefined
    const [known] = await database.query<{ fingerprint: string }>(
      `select i.fingerprint from idempotency i join hold h on h.account_id = i.account_id
         where h.id = $1 and i.operation = $2 and i.key = $3`,
      [holdId, idempotency.operation, idempotency.key],
    )
    if (!known) return undefined
    return (await release(holdId)) ? { status: 'known', fingerprint: known.fingerprint } : { status: 'settled' }
  }

  return {
    capture: async (holdId, amount, modelId = null, idempotency) => {
      const settlement = { holdId, amount, modelId, ...(idempotency && { idempotency }) }
      // a key that was in the way may be forgotten by the time that it is looked at, as its charge was refunded
      const times = idempotency ? attempts : 1
      for (let attempt = 1; attempt <= times; attempt++) {
        const result = await captureOnce(settlement)
        if (result) return result
      }
      const wasOpen = await release(holdId)
      if (!wasOpen || amount === 0n) return { status: 'settled' }
      throw new RangeError(`Ledger: ${amount} was to be captured of ${holdId}, which is more than it holds; it was released`)
    },

    release,

    releaseExpired: async () => {
      let released = 0
      for (;;) {
        const expired = await database.query<{ id: string }>(
          `select id from hold where state = 'held' and expires_at <= $1 order by expires_at limit $2`,
          [momentOf(options.now()).time, most],
        )
        if (expired.length === 0) return released
        released += (await Promise.all(expired.map(({ id }) => release(id)))).filter(Boolean).length
      }
    },

    undo: async (holdId) => {
      if (await release(holdId)) return
      // from the latest backwards: what is looked for was written a moment ago
      const [charge] = await database.query<{ id: string }>(
        `select e.id from hold h join entry e on e.account_id = h.account_id and e.request_id = h.request_id and e.type = 'CHARGE'
         where h.id = $1 and h.state = 'captured' order by e.number desc limit 1`,
        [holdId],
      )
      if (charge) await refund(charge.id)
    },

    refund,
  }
}
