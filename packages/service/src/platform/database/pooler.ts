import type pg from 'pg'
import { readErrorCode } from '../unknown-value.js'
import { StorageError } from './storage-error.js'

/** Protocol violation, which pgbouncer calls a setting that it cannot keep for a session. */
const protocolViolation = '08P01'

/** Whether a pooler, such as pgbouncer, does not pass the settings of a session on. */
export function isRejectedByPooler(error: unknown): boolean {
  return (
    readErrorCode(error) === protocolViolation &&
    error instanceof Error &&
    error.message.startsWith('unsupported startup parameter')
  )
}

/**
 * Whether the server of a statement is another process than the one that the connection was made
 * to. Then each transaction may have another server, which knows no prepared statement.
 */
export async function isBehindPooler(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid !== (client as { readonly processID?: number }).processID
}

export const needsSession =
  'This reads the database in one session, and a pooler is before it. Give the URL of PostgreSQL itself or of a replica.'

type Limits = { readonly lockMs: number; readonly statementMs: number }

/** Rejects with a StorageError unless the role has the settings that a session cannot have. */
export async function requireSettings(
  client: pg.PoolClient,
  { lockMs, statementMs }: Limits,
): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string; role: string }>(
    'select name, setting, current_user as role from pg_settings where name = any ($1) order by name collate "C"',
    [['TimeZone', 'lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']],
  )
  const most = (name: string) => (name === 'lock_timeout' ? lockMs : statementMs)
  const missing = rows.filter(({ name, setting }) =>
    name === 'TimeZone'
      ? !/^(?:Etc\/)?UTC$/.test(setting)
      : most(name) > 0 && !(Number(setting) > 0 && Number(setting) <= most(name)),
  )
  if (missing.length === 0) return
  const changes = missing.map(
    ({ name, role }) =>
      `alter role "${role}" set ${name} = '${name === 'TimeZone' ? 'UTC' : `${most(name)}ms`}';`,
  )
  throw new StorageError(
    `The database is behind a pooler, which keeps no settings for a session. Give them to the role, and let the pooler reconnect: ${changes.join(' ')}`,
  )
}
