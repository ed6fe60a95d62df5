import type { Database } from '../../platform/database/database.js'
import { readErrorCode } from '../../platform/error-code.js'
import { boundWaits, waitingAlone, type Wait } from './account-lock.js'
import { hashSql } from './chain.js'
import { toMoment, type LedgerOptions } from './ledger-types.js'
import type { LockedAccounts } from './account-lock.js'
import { foreignKeyViolation, lockNotAvailable, unlessRefused } from './refusals.js'
import type { Captured, Capture } from './capture-many.js'

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
 * The account is locked before its hold, as by the statement for many. Daily credit that is
 * released can be spent again on the same day alone. The consumption of an API key and its
 * ancestors falls in the window in which each counted the hold.
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
    where api_key.id = any (own.ancestors || own.id) and (api_key.consumed_since is null or api_key.consumed_since <= debit.created_at) returning 1
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
export function createCaptureOne(
  database: Database,
  { now, id }: LedgerOptions,
  locked: Pick<LockedAccounts, 'add' | 'delete'>,
) {
  const withLock = boundWaits(waitingAlone.captures)

  const captureWith = async (
    entryId: string,
    { holdId, amount, modelId, idempotency, cost = null }: Capture,
  ) => {
    const params = [holdId, amount, entryId, toMoment(now()).time, modelId, cost]
    const query = (sql: Sql, values: readonly unknown[]) =>
      withLock((wait) => database.query<{ balance: bigint }>(sql[wait], values))
    if (!idempotency) return query(withoutKey, params)
    const { operation, key, fingerprint } = idempotency
    return unlessRefused(
      foreignKeyViolation,
      query(withKey, [...params, operation, key, fingerprint]),
    )
  }

  return async (capture: Capture): Promise<Captured | undefined> => {
    const entryId = `led_${id()}`
    try {
      const [row] = (await captureWith(entryId, capture)) ?? []
      await locked.delete(capture.holdId)
      return row && { entryId, balance: row.balance }
    } catch (error) {
      if (readErrorCode(error) === lockNotAvailable) await locked.add(capture.holdId)
      throw error
    }
  }
}
