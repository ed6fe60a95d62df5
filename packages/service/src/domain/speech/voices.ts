import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'

export type Voice = { readonly id: string; readonly model: string }

export type Once = { readonly key: string; readonly fingerprint: string }

export type Made = { readonly voice: Voice; readonly isNew: boolean }

/** Handles of cloned voices. Recordings are not kept. */
export type Voices = {
  /** Under a used Idempotency-Key: the earlier voice, or undefined if the fingerprint differs. */
  readonly create: (account: string, model: string, lifetimeMs: number, once?: Once) => Promise<Made | undefined>
  /** A voice of this account that has not expired. */
  readonly find: (account: string, id: string) => Promise<Voice | undefined>
}

export function createVoices(database: Database, now: () => number): Voices {
  return {
    create: async (account, model, lifetimeMs, once) => {
      const id = `vv_${randomBytes(12).toString('base64url')}`
      const [time, end] = [now(), now() + lifetimeMs].map((ms) => new Date(ms).toISOString())
      const made = await database.query(
        `with owner as (
           insert into account (name, kind, created_at) values ($2, 'wallet', $4) on conflict (name) do update set name = excluded.name returning id
         )
         insert into voice (id, account_id, model, created_at, expires_at, idempotency_key, fingerprint)
         select $1, id, $3, $4, $5, $6, $7 from owner on conflict (account_id, idempotency_key) do nothing returning 1`,
        [id, account, model, time, end, once?.key ?? null, once?.fingerprint ?? null],
      )
      if (made.length > 0) return { voice: { id, model }, isNew: true }
      const [earlier] = await database.query<Voice>(
        `select v.id, v.model from voice v join account a on a.id = v.account_id
         where a.name = $1 and v.idempotency_key = $2 and v.fingerprint = $3`,
        [account, once?.key, once?.fingerprint],
      )
      return earlier && { voice: earlier, isNew: false }
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
