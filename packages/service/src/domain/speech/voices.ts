import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import type { RequestKey } from '../ledger/ledger-types.js'

export type Voice = { readonly id: string; readonly model: string }

type MadeVoice =
  | { readonly status: 'made'; readonly voice: Voice }
  /** The Idempotency-Key made this voice before, for a request with the same fingerprint. */
  | { readonly status: 'repeated'; readonly id: string }
  /** The Idempotency-Key made a voice for another request. */
  | { readonly status: 'conflict' }

/** Handles of cloned voices. Recordings are not kept. */
export type Voices = {
  readonly create: (
    account: string,
    model: string,
    lifetimeMs: number,
    once?: RequestKey,
  ) => Promise<MadeVoice>
  /** A voice of this account that has not expired. */
  readonly find: (account: string, id: string) => Promise<Voice | undefined>
}

export function createVoices(database: Database, now: () => number): Voices {
  return {
    create: async (account, model, lifetimeMs, once) => {
      const id = `vv_${randomBytes(12).toString('base64url')}`
      const [time, end] = [now(), now() + lifetimeMs].map((ms) => new Date(ms).toISOString())
      const rows = await database.query(
        `with owner as (
           insert into account (name, kind, created_at) values ($2, 'wallet', $4) on conflict (name) do update set name = excluded.name returning id
         )
         insert into voice (id, account_id, model, created_at, expires_at, idempotency_key, fingerprint)
         select $1, id, $3, $4, $5, $6, $7 from owner on conflict (account_id, idempotency_key) do nothing returning 1`,
        [id, account, model, time, end, once?.key ?? null, once?.fingerprint ?? null],
      )
      if (rows.length > 0) return { status: 'made', voice: { id, model } }
      const [earlier] = await database.query<{ id: string; fingerprint: string }>(
        `select v.id, v.fingerprint from voice v join account a on a.id = v.account_id where a.name = $1 and v.idempotency_key = $2`,
        [account, once?.key],
      )
      return earlier?.fingerprint === once?.fingerprint && earlier
        ? { status: 'repeated', id: earlier.id }
        : { status: 'conflict' }
    },

    find: async (account, id) => {
      const [row] = await database.query<{ id: string; model: string }>(
        `select v.id, v.model from voice v join account a on a.id = v.account_id where v.id = $1 and a.name = $2 and v.expires_at > $3`,
        [id, account, new Date(now()).toISOString()],
      )
      return row
    },
  }
}
