import { randomBytes } from 'node:crypto'
import type { Database } from '../database/database.js'

export type Voice = { readonly id: string; readonly model: string }

/** Handles of cloned voices. The recordings are not kept. */
export type Voices = {
  readonly create: (account: string, model: string, lifetimeMs: number) => Promise<Voice>
  /** A voice of this account that has not expired. */
  readonly find: (account: string, id: string) => Promise<Voice | undefined>
}

export function createVoices(database: Database, now: () => number): Voices {
  return {
    create: async (account, model, lifetimeMs) => {
      const id = `vv_${randomBytes(12).toString('base64url')}`
      const [time, end] = [now(), now() + lifetimeMs].map((ms) => new Date(ms).toISOString())
      await database.query(
        `with owner as (
           insert into account (name, kind, created_at) values ($2, 'wallet', $4) on conflict (name) do update set name = excluded.name returning id
         )
         insert into voice (id, account_id, model, created_at, expires_at) select $1, id, $3, $4, $5 from owner`,
        [id, account, model, time, end],
      )
      return { id, model }
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
