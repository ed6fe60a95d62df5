import type { Database } from '../../platform/database/database.js'

/** When keys were last used. A use costs a request no statement. */
export type KeyUses = {
  readonly saw: (id: string) => void
  /** Writes the uses since the last time. After a failure they are kept for the next. */
  readonly flush: () => Promise<void>
}

/** How often uses are written. A process that is killed loses those of this long. */
export const keyUsesEveryMs = 10_000

export function createKeyUses(database: Database, now: () => number): KeyUses {
  let seen = new Map<string, number>()
  return {
    saw: (id) => void seen.set(id, now()),

    flush: async () => {
      if (seen.size === 0) return
      const batch = seen
      seen = new Map()
      const uses = Array.from(batch, ([id, time]) => ({ id, used: new Date(time).toISOString() }))
      try {
        // in one order, so that two processes do not wait for each other
        await database.query(
          `insert into api_key_use (key_id, last_used_at)
           select s.id, s.used from json_to_recordset($1::text::json) as s (id uuid, used timestamptz)
           where exists (select from api_key where api_key.id = s.id) order by s.id
           on conflict (key_id) do update set last_used_at = excluded.last_used_at where api_key_use.last_used_at < excluded.last_used_at`,
          [JSON.stringify(uses)],
        )
      } catch (error) {
        seen = new Map([...batch, ...seen])
        throw error
      }
    },
  }
}
