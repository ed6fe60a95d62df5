import type { Database } from '../database/database.js'
import {
  momentOf,
  type Charge,
  type ChargeResult,
  type Funds,
  type Hold,
  type HoldResult,
  type LedgerOptions,
  type Purchase,
  type Short,
} from './books.js'
import { createChargeTogether } from './charge-together.js'
import { createHoldTogether } from './hold-together.js'
import { spendDiem, split } from './pay-alone.js'
import { foreignKeyViolation, unlessRefused } from './refusals.js'
import { shareStatements, type Ways } from './share-statements.js'

/** Everything that takes credit: each in one statement, which those that come at once share, that cannot go below zero, nor beyond a limit of the key. */
export type Taking = {
  readonly charge: (charge: Charge) => Promise<ChargeResult>
  readonly hold: (purchase: Purchase, lifetimeMs: number) => Promise<HoldResult>
  readonly funds: (account: string) => Promise<Funds>
  readonly findCharge: (key: { readonly account: string; readonly operation: string; readonly key: string }) => Promise<string | undefined>
}

const debitAndEntry = `
  debit as (
    update account set balance = split.balance - split.from_usd, entries = split.entries + 1, ${spendDiem}
    from split where account.id = split.id returning account.id, account.balance, account.held, account.entries, split.from_usd, split.from_diem
  ), written as (
    insert into entry (id, account_id, number, amount, balance_after, type, created_at, request_id, model_id, diem_amount, diem_day, key_id)
    select $7, id, entries, -from_usd, balance, 'CHARGE', $4, $8, $9, -from_diem, $5::timestamptz::date, $3::uuid from debit returning 1
  )
  select balance - held as balance from debit`

export function createTaking(database: Database, options: LedgerOptions): Taking {
  const { now, id } = options
  const funds: Taking['funds'] = async (account) => {
    const [row] = await database.query<{ usd: bigint; diem: bigint; daily: bigint }>(
      `select balance - held as usd, diem_daily as daily,
         greatest(0, diem_daily - case when diem_day = $2::timestamptz::date then diem_spent else 0 end) as diem
       from account where name = $1`,
      [account, momentOf(now()).day],
    )
    return { usd: row?.usd ?? 0n, diem: row?.diem ?? 0n, diemDaily: row?.daily ?? 0n }
  }

  /** Looked at after the refusal, for the message alone. */
  const short = async ({ account, keyId, amount }: Purchase): Promise<Short> => {
    const { usd, diem } = await funds(account)
    if (keyId === undefined || usd + diem < amount) return { status: 'insufficient', balance: usd, reason: 'balance' }
    return { status: 'insufficient', balance: usd, reason: usd >= amount ? 'key limit usd' : 'key limit diem' }
  }

  const given = ({ account, amount, keyId }: Purchase) => {
    const { time, day, month } = momentOf(now())
    return [account, amount, keyId ?? null, time, day, month]
  }

  const charge: Taking['charge'] = async (purchase) => {
    const { account, requestId, modelId, idempotency } = purchase
    const entryId = `led_${id()}`
    const params = [...given(purchase), entryId, requestId, modelId]
    // a key that was charged before makes `claim` empty, and with it all that follows from it; a claim that no entry came of is undone
    // by its foreign key
    const rows = idempotency
      ? await unlessRefused(
          foreignKeyViolation,
          database.query<{ balance: bigint }>(
            `with claim as (
               insert into idempotency (account_id, operation, key, fingerprint, entry_id, created_at)
               select id, $10, $11, $12, $7, $4 from account where name = $1 on conflict do nothing returning account_id
             ), ${split('and id = (select account_id from claim)')}, ${debitAndEntry}`,
            [...params, idempotency.operation, idempotency.key, idempotency.fingerprint],
          ),
        )
      : await database.query<{ balance: bigint }>(`with ${split('')}, ${debitAndEntry}`, params)
    const [row] = rows ?? []
    if (row) return { status: 'charged', entryId, balance: row.balance }
    const known = idempotency && (await findFingerprint(database, account, idempotency.operation, idempotency.key))
    return known === undefined ? short(purchase) : { status: 'known', fingerprint: known, balance: (await funds(account)).usd }
  }

  const hold = async (purchase: Hold): Promise<HoldResult> => {
    const holdId = `hold_${id()}`
    const until = momentOf(now() + purchase.lifetimeMs).time
    const [row] = await database.query<{ balance: bigint }>(
      `with ${split('')}, debit as (
         update account set held = split.held + split.from_usd, ${spendDiem}
         from split where account.id = split.id returning account.id, account.balance, account.held, split.from_usd, split.from_diem
       ), written as (
         insert into hold (id, account_id, key_id, usd, diem, diem_day, request_id, model_id, state, expires_at, created_at)
         select $7, id, $3::uuid, from_usd, from_diem, $5::timestamptz::date, $8, $9, 'held', $10, $4 from debit returning 1
       )
       select balance - held as balance from debit`,
      [...given(purchase), holdId, purchase.requestId, purchase.modelId, until],
    )
    return row ? { status: 'held', id: holdId, balance: row.balance } : short(purchase)
  }

  const takeCharge = shareUnlessKeyed({ alone: charge, together: createChargeTogether(database, options) })
  const takeHold = shareUnlessKeyed({ alone: hold, together: createHoldTogether(database, options) })
  return {
    funds,
    findCharge: ({ account, operation, key }) => findFingerprint(database, account, operation, key),
    charge: takeCharge,
    hold: (purchase, lifetimeMs) => takeHold({ ...purchase, lifetimeMs }),
  }
}

/** What counts for an API key always goes alone: its limits would be a second purse in every sum. */
function shareUnlessKeyed<P extends Purchase, R>(ways: Pick<Ways<P, R>, 'alone' | 'together'>): (purchase: P) => Promise<R> {
  const share = shareStatements({ ...ways, subjectOf: ({ account }) => account })
  return (purchase) => (purchase.keyId !== undefined || purchase.amount <= 0n ? ways.alone(purchase) : share(purchase))
}

async function findFingerprint(database: Database, account: string, operation: string, key: string): Promise<string | undefined> {
  const [row] = await database.query<{ fingerprint: string }>(
    `select i.fingerprint from idempotency i join account a on a.id = i.account_id
     where a.name = $1 and i.operation = $2 and i.key = $3`,
    [account, operation, key],
  )
  return row?.fingerprint
}
