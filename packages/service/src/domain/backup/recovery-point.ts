import { toUsd } from '../ledger/money.js'

/** The moment that a backup has, by the ledger. */
export type RecoveryPoint = {
  /** ISO 8601, by the clock of the database. */
  readonly time: string
  readonly accounts: number
  readonly entries: number
  /** The sum of all balances before holds, in micro-USD, as decimal text. */
  readonly balance: string
  /** The newest entry of the ledger. */
  readonly last: { readonly id: string; readonly account: string; readonly time: string } | null
  /** Finished videos, which the backup leaves out. */
  readonly videos: number
  /** Whether the database has the secret of the API keys' hashes. */
  readonly hasPepper: boolean
}

/** Selects the recovery point as one column `point`. */
export const selectRecoveryPoint = `select json_build_object(
    'time', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'accounts', (select count(*) from account),
    'entries', (select count(*) from entry),
    'balance', (select coalesce(sum(balance), 0)::text from account),
    'last', (
      select json_build_object('id', e.id, 'account', a.name,
        'time', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from entry e join account a on a.id = e.account_id order by e.created_at desc, e.number desc limit 1
    ),
    'videos', (select count(*) from video_job where media is not null),
    'hasPepper', exists (select from setting where name = 'key_pepper')
  ) as point`

/** What the ledger has at the point, in a sentence or two. */
export function sayRecoveryPoint({
  time,
  accounts,
  entries,
  balance,
  last,
}: RecoveryPoint): string {
  const newest =
    last === null
      ? 'The ledger has no entry.'
      : `The last entry is ${last.id} of ${last.account}, made at ${last.time}.`
  return `Recovery point ${time}: ${accounts} accounts with ${entries} entries and ${toUsd(BigInt(balance))} USD. ${newest}`
}
