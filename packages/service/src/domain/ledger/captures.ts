import type { Database } from '../../platform/database/database.js'
import {
  toMoment,
  type CaptureResult,
  type Charged,
  type Idempotency,
  type LedgerOptions,
} from './ledger-types.js'
import type { MicroUsd } from './money.js'
import { createRefund } from './refund.js'
import { createCaptureOne } from './capture-one.js'
import { createCaptureMany, type Captured, type Capture } from './capture-many.js'
import { hasDied } from './process-lease.js'
import { createLockedAccounts } from './account-lock.js'
import { shareStatements } from './share-statements.js'
import type { Unfinished } from '../../platform/unfinished.js'

/**
 * Captures and releases of holds, and refunds of charges. Each takes effect once, however often it
 * is called. Simultaneous captures and releases share a statement.
 */
export type Captures = {
  /**
   * Charges the price of the work and releases the rest of the hold. Releases the whole hold under
   * an Idempotency-Key that was charged before. `ended`: the hold ended before, or `amount` is 0.
   * Throws a RangeError when `amount` is more than the hold. `cost` is what the work cost the
   * operator, where that is known; the entry has it.
   */
  readonly capture: (
    holdId: string,
    amount: MicroUsd,
    modelId?: string | null,
    idempotency?: Idempotency,
    cost?: MicroUsd | null,
  ) => Promise<CaptureResult>
  /** Releases the whole hold. False when the hold ended before. */
  readonly release: (holdId: string) => Promise<boolean>
  /** Releases the holds whose lifetime is over or whose process has died. Returns their number. */
  readonly releaseExpired: () => Promise<number>
  /**
   * Undoes a hold whose outcome may be unknown: releases it if it is open, and refunds its charge
   * if it was captured. Rejects when the database does not respond. `undoUnfinished` then undoes
   * it.
   */
  readonly undo: (holdId: string) => Promise<void>
  /**
   * Undoes the holds that this process could not undo before, and those whose making got no
   * response.
   */
  readonly undoUnfinished: () => Promise<void>
  /**
   * Gives a charge back and deletes its Idempotency-Key, so that a repeat is charged. False for a
   * charge that does not exist or was refunded before.
   */
  readonly refund: (entryId: string) => Promise<boolean>
}

/** Attempts of a capture whose key is claimed and deleted meanwhile. */
const attempts = 5

/** Expired holds in one query. */
const most = 200

export function createCaptures(
  database: Database,
  options: LedgerOptions,
  unfinished: Unfinished<string>,
): Captures {
  const refund = createRefund(database, options)
  const locked = createLockedAccounts(database)
  const endHold = shareStatements<Capture, Captured | undefined>({
    subjectOf: ({ holdId }) => holdId,
    one: createCaptureOne(database, options, locked),
    many: createCaptureMany(database, options, locked),
  })
  const release: Captures['release'] = async (holdId) =>
    (await endHold({ holdId, amount: 0n, modelId: null })) !== undefined

  /** Undefined when there is nothing to capture, or the hold is too small. */
  const captureOnce = async (wanted: Capture): Promise<CaptureResult | undefined> => {
    const captured = wanted.amount > 0n ? await endHold(wanted) : undefined
    if (captured) return { status: 'captured', ...captured }
    const { holdId, idempotency } = wanted
    if (!idempotency) return undefined
    const [known] = await database.query<Charged>(
      `select i.fingerprint, i.entry_id as "entryId" from idempotency i join hold h on h.account_id = i.account_id
         where h.id = $1 and i.operation = $2 and i.key = $3`,
      [holdId, idempotency.operation, idempotency.key],
    )
    if (!known) return undefined
    return (await release(holdId)) ? { status: 'known', ...known } : { status: 'ended' }
  }

  const undoOnce = async (holdId: string): Promise<void> => {
    if (await release(holdId)) return
    // newest first: the charge was written a moment ago
    const [charge] = await database.query<{ id: string }>(
      `select e.id from hold h join entry e on e.account_id = h.account_id and e.request_id = h.request_id and e.type = 'CHARGE'
       where h.id = $1 and h.state = 'captured' order by e.number desc limit 1`,
      [holdId],
    )
    if (charge) await refund(charge.id)
  }

  return {
    capture: async (holdId, amount, modelId = null, idempotency, cost = null) => {
      const wanted = { holdId, amount, modelId, cost, ...(idempotency && { idempotency }) }
      // a refund may delete the key of the other charge before it is read
      const times = idempotency ? attempts : 1
      for (let attempt = 1; attempt <= times; attempt++) {
        const result = await captureOnce(wanted)
        if (result) return result
      }
      const wasOpen = await release(holdId)
      if (!wasOpen || amount === 0n) return { status: 'ended' }
      throw new RangeError(
        `Ledger: ${amount} was to be captured of ${holdId}, which is more than it holds; it was released`,
      )
    },

    release,

    releaseExpired: async () => {
      let released = 0
      for (;;) {
        const expired = await database.query<{ id: string }>(
          `select id from hold where state = 'held' and (expires_at <= $1 or (process_id is not null and ${hasDied('hold')}))
           order by expires_at limit $2`,
          [toMoment(options.now()).time, most],
        )
        if (expired.length === 0) return released
        released += (await Promise.all(expired.map(({ id }) => release(id)))).filter(Boolean).length
      }
    },

    undo: async (holdId) => {
      try {
        await undoOnce(holdId)
      } catch (error) {
        unfinished.add(holdId)
        throw error
      }
    },

    undoUnfinished: () => unfinished.finish(undoOnce),

    refund,
  }
}
