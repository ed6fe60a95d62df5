import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve, join } from 'node:path'
import { findPepperFault } from '../../domain/accounts/peppers.js'
import { maxSkewMs, readSkewMs } from '../../platform/database/database-clock.js'
import type { Database } from '../../platform/database/database.js'
import { FolderLockedError } from '../../platform/database/lock-folder.js'
import {
  readAppliedSteps,
  findChangedSteps,
  findUnknownSteps,
} from '../../platform/database/migrate.js'
import { migrations } from '../../platform/database/migrations.js'
import { describeError, StorageError } from '../../platform/database/storage-error.js'
import type { Settings } from '../settings/settings.js'
import {
  fail,
  pass,
  skip,
  warn,
  type FindingDetails,
  type Finding,
  type Sources,
} from './finding.js'

const mib = 1024 * 1024
/** A database that cannot write stops all paid calls. */
const minFree = 256 * mib
const lowFree = 2_048 * mib

/** Whether only this user can read and write the data folder. */
export function checkFolder({ data, databaseUrl }: Settings): FindingDetails {
  if (databaseUrl !== undefined) return skip('the data are in PostgreSQL')
  const there = findNearestFolder(data)
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return fail(
      `${there}: ${describeError(error)}`,
      'Let this user read and write the folder, or give another one with --data.',
    )
  }
  const stats = statSync(there)
  if (!stats.isDirectory()) return fail(`${there} is a file`, 'Give a folder with --data.')
  if (there !== resolve(data)) return pass(`the first start creates ${data}`)
  if (process.platform !== 'win32' && (stats.mode & 0o007) !== 0)
    return warn(`every user of this machine can read ${data}`, `Run chmod 700 ${data}.`)
  return pass(`${data} can be read and written`)
}

/** `readFreeBytes` in bytes, for a path. */
export function checkSpace(
  { data, databaseUrl }: Pick<Settings, 'data' | 'databaseUrl'>,
  readFreeBytes = freeBytes,
): FindingDetails {
  if (databaseUrl !== undefined) return skip('the data are in PostgreSQL')
  const free = readFreeBytes(findNearestFolder(data))
  const message = `${Math.floor(free / mib)} MiB are free for ${data}`
  if (free < minFree)
    return fail(
      message,
      'Free some space: a full disk fails every paid call. At least 256 MiB are needed.',
    )
  return free < lowFree
    ? warn(message, 'Free some space soon: less than 2 GiB is left.')
    : pass(message)
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** The folder, or the nearest parent that exists. */
function findNearestFolder(path: string): string {
  const full = resolve(path)
  return existsSync(full) || dirname(full) === full ? full : findNearestFolder(dirname(full))
}

/** The oldest PostgreSQL that is still maintained. */
const oldestPostgres = 14
const lowSkewMs = 5_000

/** Checks version, schema, locks and clock of the database, without changing it. */
export async function checkDatabase(
  settings: Settings,
  { open, now }: Sources,
): Promise<readonly Finding[]> {
  const { data, databaseUrl } = settings
  const toDatabaseFindings = (found: FindingDetails): readonly Finding[] => [
    { check: 'database', ...found },
  ]
  if (databaseUrl === undefined && !existsSync(join(data, 'pglite')))
    return toDatabaseFindings(skip('the first start creates it'))
  let database: Database
  try {
    database = await open(settings)
  } catch (error) {
    if (error instanceof FolderLockedError) return toDatabaseFindings(pass('a service is using it'))
    if (error instanceof StorageError)
      return toDatabaseFindings(fail(error.message, 'Without it the service does not start.'))
    throw error
  }
  try {
    const isShared = databaseUrl !== undefined
    return [
      { check: 'database', ...(await checkVersion(database, isShared)) },
      { check: 'schema', ...(await checkSchema(database)) },
      { check: 'key-pepper', ...(await checkPepper(database, settings)) },
      {
        check: 'locks',
        ...(isShared ? await checkLocks(database) : skip('only this process uses the folder')),
      },
      { check: 'clock', ...(await checkClock(database, now)) },
    ]
  } finally {
    await database.close()
  }
}

async function checkVersion(database: Database, isShared: boolean): Promise<FindingDetails> {
  const [row] = await database.query<{ number: string }>(
    `select current_setting('server_version_num') as number`,
  )
  const version = Math.floor(Number(row?.number) / 10_000)
  const engine = isShared ? 'PostgreSQL' : 'the embedded PostgreSQL'
  if (version >= oldestPostgres) return pass(`${engine} ${version} responds`)
  return fail(
    `${engine} ${version} responds`,
    `Upgrade to ${oldestPostgres} or later: older versions get no fixes.`,
  )
}

async function checkPepper(
  database: Database,
  { keyPepper, keyPepperOld }: Settings,
): Promise<FindingDetails> {
  const [table] = await database.query<{ name: string | null }>(
    `select to_regclass('setting')::text as name`,
  )
  if (table?.name == null) return pass('the first start takes it')
  const [row] = await database.query<{ value: string }>(
    `select value from setting where name = 'key_pepper'`,
  )
  const pepper = keyPepper ?? row?.value
  const fault =
    pepper === undefined ? undefined : await findPepperFault(database, pepper, keyPepperOld)
  return fault === undefined
    ? pass('it is the one of the API keys')
    : fail(fault, 'The service does not start like this.')
}

/** `known` are the migrations of this program. */
export async function checkSchema(database: Database, known = migrations): Promise<FindingDetails> {
  const [table] = await database.query<{ name: string | null }>(
    `select to_regclass('migration')::text as name`,
  )
  if (table?.name == null) return pass('the first start creates the tables')
  const applied = await readAppliedSteps(database)
  const newer = findUnknownSteps(applied, known)
  if (newer.length > 0)
    return fail(
      `a newer program made step ${newer.join(', ')}`,
      'Run the newer program, or restore a backup from before the upgrade.',
    )
  const changed = findChangedSteps(applied, known)
  if (changed.length > 0)
    return fail(
      `another build of this program made step ${changed.join(', ')}`,
      'Run that build, or use an empty database.',
    )
  const pending = known.filter((step) => !applied.some(({ id }) => id === step.id))
  if (pending.length === 0) return pass(`step ${applied.at(-1)?.id}, the newest of this program`)
  return warn(
    `${pending.length} steps are pending, up to ${pending.at(-1)?.id}`,
    'The next start applies them. Back up first.',
  )
}

/** A session that holds a lock this long blocks charges to the locked accounts. */
async function checkLocks(database: Database): Promise<FindingDetails> {
  const [row] = await database.query<{ waiting: bigint; idle: bigint }>(
    `select count(*) filter (where wait_event_type = 'Lock') as waiting,
       count(*) filter (where state like 'idle in transaction%' and now() - state_change > interval '5 s') as idle
     from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const { waiting = 0n, idle = 0n } = row ?? {}
  if (idle > 0n)
    return fail(
      `${idle} sessions sit in an open transaction, and ${waiting} wait for a lock`,
      "End them: select pg_terminate_backend(pid) from pg_stat_activity where state like 'idle in transaction%'.",
    )
  return waiting > 0n
    ? warn(`${waiting} sessions wait for a lock`, 'Check pg_stat_activity if this persists.')
    : pass('nobody waits')
}

/** `now` of this machine against that of the database, in milliseconds. */
async function checkClock(database: Database, now: () => number): Promise<FindingDetails> {
  return checkSkew(-(await readSkewMs(database, now)), 'the database')
}

/** `skewMs`: how far the other clock is ahead. */
export function checkSkew(skewMs: number, other: string): FindingDetails {
  const message = `${other} is ${(Math.abs(skewMs) / 1000).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'} this machine`
  const advice = 'Synchronize both by NTP: sign-in messages allow 30 s.'
  if (Math.abs(skewMs) > maxSkewMs) return fail(message, advice)
  return Math.abs(skewMs) > lowSkewMs ? warn(message, advice) : pass(`within 5 s of ${other}`)
}
