import type { Database } from '../database/database.js'
import { momentOf, type CaptureResult, type Idempotency, type LedgerOptions } from './books.js'
import type { MicroUsd } from './money.js'
import { foreignKeyViolation, uniqueViolation, unlessRefused } from './refusals.js'

/** What becomes of credit that was taken: a hold is captured or released, a charge is refunded. Each happens once, whoever asks how often. */
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

/** What a key consumed is given back within the window that it was counted in. `part` holds key_id, taken_at, usd and diem. */
const uncount = (part: string) => `
  update api_key set consumed_usd = greatest(0, consumed_usd - ${part}.usd), consumed_diem = greatest(0, consumed_diem - ${part}.diem)
  from ${part} where api_key.id = ${part}.key_id and (consumed_since is null or consumed_since <= ${part}.taken_at)`

/** A day's credit that is given back is there again on that day only. */
const giveDiemBack = (part: string) => `
  diem_spent = case when account.diem_day = ${part}.diem_day then account.diem_spent - ${part}.diem else account.diem_spent end`

/** Of a capture whose key came and went. */
const attempts = 5

export function createSettling(database: Database, { now, id }: LedgerOptions): Settling {
  const refund: Settling['refund'] = async (entryId) => {
    const rows = await unlessRefused(
      uniqueViolation,
      database.query(
        `with c as (
           select account_id, key_id, created_at as taken_at, request_id, model_id, diem_day, -amount as usd, -diem_amount as diem
           from entry where id = $1 and type = 'CHARGE'
         ), credit as (
           update account set balance = balance + c.usd, entries = entries + 1, ${giveDiemBack('c')}
           from c where account.id = c.account_id and not exists (select from entry where refunds = $1)
           returning account.id, balance, entries, c.*
         ), counted as (${uncount('credit')} returning 1), forgotten as (
           delete from idempotency where entry_id = $1 and exists (select from credit) returning 1
         )
         insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id, refunds)
         select $2, account_id, entries, usd, balance, 'REFUND', $3, request_id, model_id, diem, diem_day, key_id, $1 from credit
         returning 1`,
        [entryId, `led_${id()}`, momentOf(now()).time],
      ),
    )
    return rows?.length === 1
  }
  const one = async (sql: string, params: readonly unknown[]) => (await database.query(sql, params)).length === 1

  /** Nothing when there was nothing to capture, or not enough. */
  const captureOnce = async (
    holdId: string,
    amount: MicroUsd,
    modelId: string | null,
    idempotency?: Idempotency,
  ): Promise<CaptureResult | undefined> => {
    const entryId = `led_${id()}`
    const { operation, key, fingerprint } = idempotency ?? {}
    // as in `charge`: no claim, no capture; and a claim that no entry came of is undone by its foreign key
    const rows = await unlessRefused(
      foreignKeyViolation,
      database.query<{ balance: bigint }>(
        `with claim as (
             insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
             select account_id, $6::text, $7::text, $8::text, $3, $4 from hold where id = $1 and $7::text is not null
             on conflict do nothing returning account_id
           ), h as (
             update hold set state = 'captured'
             where id = $1 and state = 'held' and usd + diem >= $2::bigint and $2::bigint > 0 and ($5::boolean or exists (select from claim)) returning *
           ), rest as (
             select account_id, key_id, created_at as taken_at, diem_day, usd as held, request_id, coalesce($9::text, model_id) as model_id,
               least(diem, $2::bigint) as take_diem, $2::bigint - least(diem, $2::bigint) as take_usd,
               diem - least(diem, $2::bigint) as diem, usd - ($2::bigint - least(diem, $2::bigint)) as usd
             from h
           ), debit as (
             update account set held = account.held - rest.held, balance = balance - take_usd, entries = entries + 1, ${giveDiemBack('rest')}
             from rest where account.id = rest.account_id
             returning account.id, account.balance, account.held as still_held, account.entries, rest.*
           ), counted as (${uncount('rest')} returning 1), written as (
             insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id)
             select $3, account_id, entries, -take_usd, balance, 'CHARGE', $4, request_id, model_id, -take_diem, diem_day, key_id from debit
             returning 1
           )
           select balance - still_held as balance from debit`,
        [
          holdId,
          amount,
          entryId,
          momentOf(now()).time,
          idempotency === undefined,
          operation ?? null,
          key ?? null,
          fingerprint ?? null,
          modelId,
        ],
      ),
    )
    const [row] = rows ?? []
    if (row) return { status: 'captured', entryId, balance: row.balance }
    const [known] = await database.query<{ fingerprint: string }>(
      `select i.fingerprint from idempotency i join hold h on h.account_id = i.account_id
         where h.id = $1 and i.operation = $2 and i.key = $3`,
      [holdId, operation ?? null, key ?? null],
    )
    if (!known) return undefined
    return (await one(release('id = $1'), [holdId])) ? { status: 'known', fingerprint: known.fingerprint } : { status: 'settled' }
  }

  return {
    capture: async (holdId, amount, modelId = null, idempotency) => {
      // a key that was in the way may be forgotten by the time that it is looked at, as its charge was refunded
      const most = idempotency ? attempts : 1
      for (let attempt = 1; attempt <= most; attempt++) {
        const result = await captureOnce(holdId, amount, modelId, idempotency)
        if (result) return result
      }
      const wasOpen = await one(release('id = $1'), [holdId])
      if (!wasOpen || amount === 0n) return { status: 'settled' }
      throw new RangeError(`Ledger: ${amount} was to be captured of ${holdId}, which is more than it holds; it was released`)
    },

    release: (holdId) => one(release('id = $1'), [holdId]),

    releaseExpired: async () => {
      let released = 0
      // one at a time, so that no two holds of an account meet in a statement
      for (;;) {
        const first = `id = (select id from hold where state = 'held' and expires_at <= $1 order by expires_at limit 1)`
        if ((await database.query(release(first), [momentOf(now()).time])).length === 0) return released
        released++
      }
    },

    undo: async (holdId) => {
      if (await one(release('id = $1'), [holdId])) return
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

const release = (which: string) => `
  with h as (
    update hold set state = 'released' where state = 'held' and ${which} returning *, created_at as taken_at
  ), free as (
    update account set held = held - h.usd, ${giveDiemBack('h')} from h where account.id = h.account_id returning 1
  ), counted as (${uncount('h')} returning 1)
  select 1 from h`
