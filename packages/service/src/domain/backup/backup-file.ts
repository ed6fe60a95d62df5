import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline, Readable, type Writable } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { describeError, StorageError } from '../../platform/database/storage-error.js'
import { readErrorCode, isRecord } from '../../platform/unknown-value.js'
import { readLines } from '../../platform/line-file.js'
import { createHash, type Hash } from 'node:crypto'
import { toUsd } from '../ledger/money.js'

/**
 * Writes the lines of a backup into a new file that only this user can read, or to a stream,
 * compressed. Verifies them on the way. Rejects with a BackupError, and then leaves no file.
 */
export async function writeBackup(
  lines: AsyncIterable<string>,
  to: string | Writable,
): Promise<BackupHead> {
  const heads: BackupHead[] = []
  const text = Readable.from(verifyLines(lines, heads))
  if (typeof to !== 'string') await piped(text, createGzip(), to, { end: false })
  else await writeFile(text, to)
  const [head] = heads
  if (head === undefined) throw new BackupError('The backup is empty.')
  return head
}

async function writeFile(text: Readable, file: string): Promise<void> {
  let isOurs = false
  // flush: the bytes are on the disk before the backup is reported
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }).once(
    'open',
    () => {
      isOurs = true
    },
  )
  try {
    await piped(text, createGzip(), target)
  } catch (cause) {
    if (isOurs) await rm(file, { force: true })
    if (readErrorCode(cause) === 'EEXIST')
      throw new BackupError(`The file ${file} is there already. Give a new one.`, { cause })
    if (cause instanceof BackupError) throw cause
    throw new BackupError(`The backup cannot be written to ${file}: ${describeError(cause)}.`, {
      cause,
    })
  }
}

async function* verifyLines(
  lines: AsyncIterable<string>,
  heads: BackupHead[],
): AsyncGenerator<string> {
  let last = ''
  const noted = async function* () {
    for await (const line of lines) {
      last = line
      yield line
    }
  }
  for await (const part of parseBackup(noted())) {
    if ('format' in part) heads.push(part)
    yield `${last}\n`
  }
  yield `${last}\n`
}

/** The lines of a file. Throws a BackupError for one that cannot be read. */
export async function* readBackup(file: string): AsyncGenerator<string> {
  try {
    yield* readLines(pipeline(createReadStream(file), createGunzip(), () => undefined))
  } catch (cause) {
    const code = readErrorCode(cause)
    if (code === 'Z_BUF_ERROR')
      throw new BackupError(`The backup ${file} is cut off. Use another one.`, { cause })
    if (code?.startsWith('Z_') === true)
      throw new BackupError(`The file ${file} is not a backup, or was changed. Use another one.`, {
        cause,
      })
    if (cause instanceof BackupError) throw cause
    throw new BackupError(
      `The backup ${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : describeError(cause)}.`,
      {
        cause,
      },
    )
  }
}

/** The state of the ledger in a backup. */
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

type Size = { readonly accounts: number | bigint; readonly entries: number | bigint }

/** Describes how large a ledger is. */
export function describeSize({ accounts, entries }: Size): string {
  const [one, other] = [Number(accounts), Number(entries)]
  return `${accounts} ${one === 1 ? 'account' : 'accounts'} with ${entries} ${other === 1 ? 'entry' : 'entries'}`
}

/** Describes the ledger at the recovery point. */
export function describeRecoveryPoint({
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
  return `Recovery point ${time}: ${describeSize({ accounts, entries })} and ${toUsd(BigInt(balance))} USD. ${newest}`
}

/** A backup that cannot be created, read or restored. The message is for the operator. */
export class BackupError extends StorageError {
  override readonly name = 'BackupError'
}

/** The first line of a backup. */
export type BackupHead = {
  readonly format: 'farebox-backup'
  readonly version: 1
  /** Ids of the migrations that the tables had. */
  readonly migrations: readonly number[]
  /** Columns and tables without their values. */
  readonly without: readonly string[]
  readonly point: RecoveryPoint
}

/** A part of a backup after its head: the beginning of a table, or a row of it as JSON text. */
export type BackupPart =
  | { readonly kind: 'table'; readonly name: string; readonly columns: readonly string[] }
  | { readonly kind: 'row'; readonly json: string }

/**
 * The text of a backup, one JSON value a line: the head, then for each table an array with its name
 * and columns and an object for each row, and at the end an array with the count of rows and the
 * SHA-256 of all lines before it. The rows are as the database wrote them, since a double would not
 * keep its 64-bit integers.
 */
export async function* printBackup(
  head: BackupHead,
  parts: AsyncIterable<BackupPart>,
): AsyncGenerator<string> {
  const sum = createHash('sha256')
  let rows = 0
  yield addToSum(sum, JSON.stringify(head))
  for await (const part of parts) {
    if (part.kind === 'row') rows++
    yield addToSum(
      sum,
      part.kind === 'row' ? part.json : JSON.stringify(['table', part.name, part.columns]),
    )
  }
  yield JSON.stringify(['end', rows, sum.digest('hex')])
}

function addToSum(sum: Hash, line: string): string {
  sum.update(line).update('\n')
  return line
}

/**
 * Reads the lines of a backup: the head, then the parts. Throws a BackupError for an
 * incomplete backup, at the latest after the last part.
 */
export async function* parseBackup(
  lines: AsyncIterable<string>,
): AsyncGenerator<BackupHead | BackupPart> {
  const sum = createHash('sha256')
  let [count, rows, isWhole] = [0, 0, false]
  for await (const line of lines) {
    if (isWhole)
      throw new BackupError(
        'The backup has been changed: something follows its end. Use another one.',
      )
    if (count++ === 0) yield parseHead(line)
    else if (line.startsWith('{')) {
      rows++
      yield { kind: 'row', json: line }
    } else {
      const [kind, first, second] = parseArray(line)
      if (kind === 'end') {
        if (first !== rows || second !== sum.digest('hex')) throw new BackupError(changed)
        isWhole = true
        continue
      }
      if (kind !== 'table' || typeof first !== 'string' || !isStringArray(second))
        throw new BackupError(changed)
      yield { kind: 'table', name: first, columns: second }
    }
    addToSum(sum, line)
  }
  if (!isWhole) throw new BackupError('The backup is cut off: its end is missing. Use another one.')
}

const changed = 'The backup has been changed: its checksum is of other lines. Use another one.'

function parseHead(line: string): BackupHead {
  const head = parseJson(line)
  if (!isRecord(head) || head['format'] !== 'farebox-backup')
    throw new BackupError('This is not a backup of farebox-service.')
  if (head['version'] === 1) return head as BackupHead
  throw new BackupError(
    `The backup has format ${String(head['version'])}, this program knows format 1. Restore it with a newer program.`,
  )
}

function parseArray(line: string): readonly unknown[] {
  const value = parseJson(line)
  if (Array.isArray(value)) return value
  throw new BackupError(changed)
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
