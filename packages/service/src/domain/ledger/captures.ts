import type { Database } from '../../platform/database/database.js'
import { type Wait, shareStatements } from '../../platform/database/share-statements.js'
import {
  foreignKeyViolation,
  lockNotAvailable,
  ignoreRejection,
} from '../../platform/database/storage-error.js'
import { readErrorCode } from '../../platform/unknown-value.js'
import type { UnfinishedWork } from '../../platform/unfinished.js'
import { createCaptureMany, type CaptureReceipt, type Capture } from './capture-many.js'
import { hashSql } from './chain.js'
import type { CaptureResult, KeyedCharge, Idempotency, LedgerOptions } from './ledger-types.js'
import type { MicroUsd } from './money.js'
import { hasDied } from './process-lease.js'
import { createRefund } from './corrections.js'
import {
  countsSql,
  toMoment,
  createLockedAccounts,
  queryLocked,
  maxLockWaiters,
  type LockedAccounts,
} from './statements.js'

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
   * Undoes the holds that this process could not undo before, and those whose creation got no
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
const maxExpiredPerQuery = 200

export function createCaptures(
  database: Database,
  options: LedgerOptions,
  unfinished: UnfinishedWork<string>,
): Captures {
  const refund = createRefund(database, options)
  const locked = createLockedAccounts(database)
  const endHold = shareStatements<Capture, CaptureReceipt | undefined>({
    one: createCaptureOne(database, options, locked),
    many: createCaptureMany(database, options, locked),
  })
  const release: Captures['release'] = async (holdId) =>
    (await endHold({ holdId, amount: 0n, modelId: null }, holdId)) !== undefined

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
      const capture = { holdId, amount, modelId, cost, ...(idempotency && { idempotency }) }
      // a refund may delete the key of the other charge before it is read
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const captured = amount > 0n ? await endHold(capture, holdId) : undefined
        if (captured) return { status: 'captured', ...captured }
        if (!idempotency) break
        const [known] = await database.query<KeyedCharge>(
          `select i.fingerprint, i.entry_id as "entryId" from idempotency i join hold h on h.account_id = i.account_id
           where h.id = $1 and i.operation = $2 and i.key = $3`,
          [holdId, idempotency.operation, idempotency.key],
        )
        if (known)
          return (await release(holdId)) ? { status: 'known', ...known } : { status: 'ended' }
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
          [toMoment(options.now()).time, maxExpiredPerQuery],
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

/**
 * A key that was charged before makes `claim` empty, and with it all that follows from it. The
 * foreign key undoes a claim without an entry.
 */
const claim = `
  claim as (
    insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
    select account_id, $7, $8, $9, $3, $4 from hold where id = $1 on conflict do nothing returning account_id
  ),`

const entryHash = hashSql('after.head', {
  account: 'after.name',
  number: 'after.number',
  id: '$3',
  amount: '-from_usd',
  balanceAfter: 'after.balance_after',
  type: `'CHARGE'`,
  createdAt: '$4',
  requestId: 'request_id',
  modelId: 'coalesce($5::text, model_id)',
  diemAmount: '-from_diem',
  diemDay: 'diem_day',
  keyId: 'key_id',
  cost: '$6::bigint',
})

/**
 * The account is locked before its hold, as by the statement for many. Released daily credit can
 * only be spent again on the same day. What is released is taken off the consumption of an API key
 * and its ancestors, in the window in which each counted the hold.
 *
 * `$1` hold, `$2` amount, `$3` entry, `$4` time, `$5` model or null, `$6` cost or null.
 */
const captureHold = (condition: string, wait: Wait) => `
  a as (
    select account.* from hold join account on account.id = account_id where hold.id = $1 ${condition} for no key update of account ${wait}
  ), h as (
    update hold set state = case when $2::bigint > 0 then 'captured' else 'released' end
    from a where hold.id = $1 and hold.account_id = a.id and state = 'held' and hold.usd + hold.diem >= $2::bigint returning hold.*
  ), parts as (
    select h.*, least(diem, $2::bigint) as from_diem, $2::bigint - least(diem, $2::bigint) as from_usd from h
  ), after as (
    select parts.*, a.name, a.head, a.balance - from_usd as balance_after, a.held - usd as held_after,
      a.entries + case when $2::bigint > 0 then 1 else 0 end as number,
      a.diem_spent - case when a.diem_day = parts.diem_day then diem - from_diem else 0 end as spent_after
    from parts join a on a.id = account_id
  ), chained as (
    select *, case when $2::bigint > 0 then ${entryHash} end as hash from after
  ), debit as (
    update account set balance = balance_after, held = held_after, entries = number, diem_spent = spent_after,
      head = coalesce(hash, chained.head)
    from chained where account.id = account_id returning chained.*
  ), uncounted as (
    update api_key set consumed_usd = greatest(0, api_key.consumed_usd - (usd - from_usd)),
      consumed_diem = greatest(0, api_key.consumed_diem - (diem - from_diem))
    from debit join api_key own on own.id = debit.key_id
    where $2::bigint < usd + diem and api_key.id = any (own.ancestors || own.id) and ${countsSql('debit.diem_day')} returning 1
  ), written as (
    insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id, cost, hash)
    select $3, account_id, number, -from_usd, balance_after, 'CHARGE', $4, request_id, coalesce($5, model_id), -from_diem, diem_day, key_id, $6::bigint, hash
    from debit where $2::bigint > 0 returning 1
  )
  select balance_after - held_after as balance from debit`

type Sql = Readonly<Record<Wait, string>>
const withKeyAnd = (wait: Wait) =>
  `with ${claim} ${captureHold('and exists (select from claim)', wait)}`
const withKey: Sql = { '': withKeyAnd(''), nowait: withKeyAnd('nowait') }
const withoutKey: Sql = {
  '': `with ${captureHold('', '')}`,
  nowait: `with ${captureHold('', 'nowait')}`,
}

/** Undefined when the hold is not open or too small, or the key was charged before. */
function createCaptureOne(
  database: Database,
  { now, id }: LedgerOptions,
  locked: Pick<LockedAccounts, 'add' | 'delete'>,
) {
  const query = queryLocked(database, maxLockWaiters.captures)

  return async (capture: Capture): Promise<CaptureReceipt | undefined> => {
    const { holdId, amount, modelId, idempotency, cost = null } = capture
    const entryId = `led_${id()}`
    const params: unknown[] = [holdId, amount, entryId, toMoment(now()).time, modelId, cost]
    if (idempotency) {
      const { operation, key, fingerprint } = idempotency
      params.push(operation, key, fingerprint)
    }
    try {
      const rows = query<{ balance: bigint }>(idempotency ? withKey : withoutKey, params)
      const written = idempotency ? ignoreRejection(foreignKeyViolation, rows) : rows
      const [row] = (await written) ?? []
      await locked.delete(holdId)
      return row && { entryId, balance: row.balance }
    } catch (error) {
      if (readErrorCode(error) === lockNotAvailable) await locked.add(holdId)
      throw error
    }
  }
}
