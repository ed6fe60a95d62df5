import type { Database } from '../../platform/database/database.js'
import { momentOf, type LedgerOptions } from './ledger-types.js'
import { foreignKeyViolation, unlessRefused } from './refusals.js'
import type { Captured, Capture } from './capture-many.js'

/**
 * A key that was charged before makes `claim` empty, and with it all that follows from it. The
 * foreign key undoes a claim without an entry.
 */
const claim = `
  claim as (
    insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
    select account_id, $6, $7, $8, $3, $4 from hold where id = $1 on conflict do nothing returning account_id
  ),`

/**
 * The account is locked before its hold, as by the statement for many. Daily credit that is
 * released can be spent again on the same day alone. The consumption of an API key and its
 * ancestors falls in the window in which each counted the hold.
 *
 * `$1` hold, `$2` amount, `$3` entry, `$4` time, `$5` model or null.
 */
const captureHold = (condition: string) => `
  a as (
    select account.* from hold join account on account.id = account_id where hold.id = $1 ${condition} for no key update of account
  ), h as (
    update hold set state = case when $2::bigint > 0 then 'captured' else 'released' end
    from a where hold.id = $1 and hold.account_id = a.id and state = 'held' and hold.usd + hold.diem >= $2::bigint returning hold.*
  ), parts as (
    select h.*, least(diem, $2::bigint) as from_diem, $2::bigint - least(diem, $2::bigint) as from_usd from h
  ), debit as (
    update account set balance = a.balance - from_usd, held = a.held - usd, entries = a.entries + case when $2::bigint > 0 then 1 else 0 end,
      diem_spent = a.diem_spent - case when a.diem_day = parts.diem_day then diem - from_diem else 0 end
    from parts join a on a.id = account_id where account.id = a.id returning account.balance, account.held as still_held, account.entries, parts.*
  ), uncounted as (
    update api_key set consumed_usd = greatest(0, api_key.consumed_usd - (usd - from_usd)),
      consumed_diem = greatest(0, api_key.consumed_diem - (diem - from_diem))
    from debit join api_key own on own.id = debit.key_id
    where api_key.id = any (own.ancestors || own.id) and (api_key.consumed_since is null or api_key.consumed_since <= debit.created_at) returning 1
  ), written as (
    insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id)
    select $3, account_id, entries, -from_usd, balance, 'CHARGE', $4, request_id, coalesce($5, model_id), -from_diem, diem_day, key_id
    from debit where $2::bigint > 0 returning 1
  )
  select balance - still_held as balance from debit`

const withKey = `with ${claim} ${captureHold('and exists (select from claim)')}`
const withoutKey = `with ${captureHold('')}`

/** Undefined when the hold is not open or too small, or the key was charged before. */
export function createCaptureOne(database: Database, { now, id }: LedgerOptions) {
  return async ({ holdId, amount, modelId, idempotency }: Capture): Promise<Captured | undefined> => {
    const entryId = `led_${id()}`
    const params = [holdId, amount, entryId, momentOf(now()).time, modelId]
    const rows = idempotency
      ? await unlessRefused(
          foreignKeyViolation,
          database.query<{ balance: bigint }>(withKey, [...params, idempotency.operation, idempotency.key, idempotency.fingerprint]),
        )
      : await database.query<{ balance: bigint }>(withoutKey, params)
    const [row] = rows ?? []
    return row && { entryId, balance: row.balance }
  }
}
