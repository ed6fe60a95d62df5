import type { Database } from './database.js'
import { migrations as all, type Migration } from './migrations.js'

/** Brings the schema up to date, one transaction a step. A database that is ahead of this program is refused. */
export async function migrate(database: Database, migrations: readonly Migration[] = all): Promise<void> {
  await database.query('create table if not exists migration (id integer primary key, name text not null, applied_at timestamptz not null)')
  const applied = new Set((await database.query<{ id: number }>('select id from migration')).map(({ id }) => id))
  const unknown = [...applied].filter((id) => !migrations.some((migration) => migration.id === id))
  if (unknown.length > 0) {
    throw new Error(
      `The database has migration ${unknown.join(', ')}, this program knows up to ${migrations.at(-1)?.id ?? 0}. Run the newer program.`,
    )
  }
  for (const { id, name, statements } of migrations.filter((migration) => !applied.has(migration.id))) {
    await database.transaction([
      ...statements.map((sql) => ({ sql })),
      { sql: 'insert into migration (id, name, applied_at) values ($1, $2, now())', params: [id, name] },
    ])
  }
}
