import { randomUUID } from 'node:crypto'
import { takePeppers } from '../domain/accounts/peppers.js'
import { openProcessLease, type ProcessLease } from '../domain/ledger/process-lease.js'
import {
  createFixedClock,
  openDatabaseClock,
  type DatabaseClock,
} from '../platform/database/database-clock.js'
import { isReadOnly, type Database } from '../platform/database/database.js'
import { migrate } from '../platform/database/migrate.js'
import { openDatabase, traceDatabase } from '../platform/database/open-database.js'
import type { ServiceOptions } from './service-options.js'
import { createAuditAnchor } from '../domain/audit/audit-anchor.js'
import { createLedgerAudit, type LedgerAudit } from '../domain/audit/ledger-audit.js'
import { describeError, StorageError } from '../platform/database/storage-error.js'
import { openAppendFile } from '../platform/line-file.js'

/** A database with the tables of this program, and the role of this process in it. */
export type Storage = {
  readonly database: Database
  readonly clock: DatabaseClock
  readonly lease: ProcessLease
  readonly processId: string
  /** Whether a lock excludes other processes. */
  readonly isExclusive: boolean
  /** The secret of the hashes of API keys, of stored responses and of download URLs. */
  readonly pepper: string
  readonly oldPepper?: string
}

/** Opens the database of the options, each statement in a span of the telemetry. */
export async function openTracedDatabase(options: ServiceOptions): Promise<Database> {
  const database = options.database ?? (await openDatabase(options))
  return options.telemetry ? traceDatabase(database) : database
}

/** Migrates the database and registers the process. Rejects with a StorageError for a standby. */
export async function openStorage(options: ServiceOptions, database: Database): Promise<Storage> {
  if (await isReadOnly(database)) {
    throw new StorageError(
      'The database is read-only, as a standby is. Give the URL of the primary, or of all hosts with target_session_attrs=read-write.',
    )
  }
  await migrate(database)
  const clock = options.now ? createFixedClock(options.now) : await openDatabaseClock(database)
  // the lock of the folder excludes other processes
  const isExclusive = options.databaseUrl === undefined
  const processId = randomUUID()
  const lease = await openProcessLease(database, processId, isExclusive)
  return {
    database,
    clock,
    lease,
    processId,
    isExclusive,
    ...(await takePeppers(database, options)),
  }
}

/**
 * The audit of the ledger, anchored in a file if a path is given. That of a standby is not kept.
 * Rejects with a StorageError if the file is unusable.
 */
export async function openAudit(
  database: Database,
  now: () => number,
  anchorPath: string | undefined,
): Promise<LedgerAudit> {
  const isKept = !(await isReadOnly(database))
  if (anchorPath === undefined) return createLedgerAudit(database, { now, isKept })
  const file = await openAppendFile(anchorPath).catch((error: unknown) => {
    throw new StorageError(
      `--audit-anchor: ${anchorPath} cannot be written (${describeError(error)}). Give a file in a folder that this user can write.`,
    )
  })
  return createLedgerAudit(database, {
    now,
    isKept,
    anchor: await createAuditAnchor(database, file, { now }),
  })
}
