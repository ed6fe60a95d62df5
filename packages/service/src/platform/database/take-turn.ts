import type { Database } from './database.js'

/**
 * Takes the turn for work that one process does in each interval. False while another process took
 * it less than `everyMs` ago. The time is that of the database, as clocks of processes differ.
 */
export async function takeTurn(
  database: Database,
  name: string,
  everyMs: number,
): Promise<boolean> {
  const rows = await database.query(
    `insert into setting (name, value) values ($1, extract(epoch from clock_timestamp())::text)
     on conflict (name) do update set value = excluded.value
       where setting.value::numeric + $2::numeric <= excluded.value::numeric or setting.value::numeric > excluded.value::numeric
     returning 1`,
    [name, everyMs / 1000],
  )
  return rows.length > 0
}

/** Gives a turn back, so that the next process can take it. */
export async function giveBackTurn(database: Database, name: string): Promise<void> {
  await database.query('delete from setting where name = $1', [name])
}
