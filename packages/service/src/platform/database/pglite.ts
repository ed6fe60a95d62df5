import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Mutex, PGlite, types, type PGliteOptions, messages, protocol } from '@electric-sql/pglite'
import { joinBytes } from '../bounded-body.js'
import { lazy } from '../lazy.js'
import { readErrorCode } from '../unknown-value.js'
import type { Database, Statement, Statements } from './database.js'
import { takeFolder } from './lock-folder.js'
import { toUnavailable, describeError, StorageError, stalePlan } from './storage-error.js'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { brotliDecompress } from 'node:zlib'

/**
 * Opens the embedded database of a folder and locks it until `close`, as a second process would
 * corrupt it. Without a folder the database is in memory. Acknowledged writes survive a kill of the
 * process, but not always a loss of power. `isBare`: a new folder has no tables, and not those of
 * the newest schema. Rejects with a StorageError.
 */
export async function openPglite(
  folder?: string,
  { isBare = false }: { readonly isBare?: boolean } = {},
): Promise<Database> {
  if (folder === undefined)
    return wrapPglite(
      await create(toLoadOptions(isBare ? undefined : await readPreparedTar()), '4MB'),
    )
  const lock = await takeFolder(folder)
  try {
    const dataDir = join(folder, 'pglite')
    await rejectForeignFolder(dataDir)
    // other threads compile the engine meanwhile
    void engine.get()
    if (!isBare) await unpackPrepared(dataDir)
    const database = wrapPglite(await create({ dataDir }, '16MB'))
    return {
      ...database,
      close: async () => {
        await database.close()
        await lock.release()
      },
    }
  } catch (cause) {
    await lock.release().catch(() => undefined)
    if (cause instanceof StorageError) throw cause
    throw createOpenError(
      folder,
      readErrorCode(cause) !== undefined
        ? describeError(cause)
        : 'its files are damaged, or another version of this program made them',
      cause,
    )
  }
}

/** The engine would overwrite unknown files, which may be the rest of an older database. */
async function rejectForeignFolder(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: unknown): string[] => {
    if (readErrorCode(error) === 'ENOENT') return []
    throw error
  })
  if (names.length > 0 && !names.includes('PG_VERSION'))
    throw createOpenError(dirname(dataDir), 'its file PG_VERSION is missing')
}

function createOpenError(folder: string, reason: string, cause?: unknown): StorageError {
  return new StorageError(
    `The database in the data folder ${folder} cannot be opened: ${reason}. Restore the folder from a backup, or give another one with --data.`,
    { cause },
  )
}

/**
 * The engine clears its buffers at the start: the default of 128 MB would take half of it. A
 * database in memory needs few, as its files are in memory too.
 */
async function create(options: PGliteOptions, buffers: string): Promise<PGlite> {
  return PGlite.create({
    ...options,
    ...(await engine.get()),
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${buffers}`],
    parsers: { [types.INT8]: BigInt, [types.DATE]: String },
  })
}

/** Compiled once in a process. */
const engine = lazy(compileEngine)

/**
 * Empty if the file is missing. V8 optimizes functions of it in the background, each in up to 25 MB
 * that the C library keeps for each thread. Two at a time take 27 MB less than four.
 */
async function compileEngine(): Promise<PGliteOptions> {
  setFlagsFromString('--wasm-num-compilation-tasks=2')
  try {
    const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
    return {
      pgliteWasmModule: await WebAssembly.compile(
        await readFile(join(dirname(entry), 'pglite.wasm')),
      ),
    }
  } catch {
    return {}
  }
}

function toLoadOptions(tar: Uint8Array<ArrayBuffer> | undefined): PGliteOptions {
  return tar ? { loadDataDir: new Blob([tar], { type: 'application/x-tar' }) } : {}
}

/** How long statements may follow each other before connections and timers have their turn. */
const longestRunMs = 10

function wrapPglite(db: PGlite): Database {
  // a planned statement passes by the turns of the engine
  const turns = new Mutex()
  const planned = createPlannedStatements(db)
  /** Since when statements have followed each other in this turn of the event loop. */
  let busySince: number | undefined
  const endTurn = () => (busySince = undefined)
  return {
    query: <R>(sql: string, params: readonly unknown[] = []) =>
      turns.runExclusive(async () => {
        if (db.closed) throw new Error('The database is closed.')
        // Statements run in this thread, and one that awaits another goes on at once. Without a
        // pause, an audit of a large ledger would keep all requests waiting until its end.
        if (busySince === undefined) {
          busySince = performance.now()
          setImmediate(endTurn)
        } else if (performance.now() - busySince > longestRunMs) await nextTurn()
        return planned<R>(sql, params).catch(rethrow)
      }),
    transaction: (statements) =>
      turns.runExclusive(() =>
        db
          .transaction(async (transaction) => {
            // one message for consecutive statements without parameters makes a schema in two
            // thirds of the time
            for await (const step of groupIntoMessages(statements)) {
              if (typeof step === 'string') await transaction.exec(step)
              else await transaction.query(step.sql, [...(step.params ?? [])])
            }
          })
          .catch(rethrow),
      ),
    close: () => turns.runExclusive(() => db.close()),
  }
}

/** A full disk is an error of the class 53, as with PostgreSQL. */
function rethrow(error: unknown): never {
  throw readErrorCode(error) === undefined ? error : toUnavailable(error)
}

async function* groupIntoMessages(statements: Statements): AsyncGenerator<string | Statement> {
  let message: string | undefined
  for await (const statement of statements) {
    if (statement.params === undefined)
      message = message === undefined ? statement.sql : `${message};\n${statement.sql}`
    else {
      if (message !== undefined) yield message
      message = undefined
      yield statement
    }
  }
  if (message !== undefined) yield message
}

/** A statement that the engine has parsed: the types of its parameters, and its columns. */
type PreparedStatement = {
  readonly name: string
  readonly parameters: readonly number[]
  readonly columns: readonly Column[]
}
type Column = { readonly name: string; readonly type: number }

const { parse, describe, bind, execute, sync } = protocol.serialize

/** A bound, since the statements of reports contain their days, and plans stay until the end. */
const most = 1_000

/**
 * Runs single statements, one at a time. The engine parses and plans each text once: that takes
 * five times as long as a usual statement runs, and the `query` of PGlite does it at every call.
 */
export function createPlannedStatements(db: PGlite) {
  const known = new Map<string, PreparedStatement>()
  let serial = 0

  const send = (...parts: readonly Uint8Array[]) =>
    db.execProtocolStream(joinBytes([...parts, sync()]), { syncToFs: true })

  const plan = async (sql: string): Promise<PreparedStatement> => {
    const name = `s${++serial}`
    const responses = await send(parse({ name, text: sql }), describe({ type: 'S', name }))
    const parameters =
      responses.find((response) => response instanceof messages.ParameterDescriptionMessage)
        ?.dataTypeIDs ?? []
    const fields =
      responses.find((response) => response instanceof messages.RowDescriptionMessage)?.fields ?? []
    const planned = {
      name,
      parameters,
      columns: fields.map((field) => ({ name: field.name, type: field.dataTypeID })),
    }
    known.set(sql, planned)
    return planned
  }

  return async <R>(sql: string, params: readonly unknown[]): Promise<readonly R[]> => {
    if (known.size >= most && !known.has(sql)) return (await db.query<R>(sql, [...params])).rows
    const { name, parameters, columns } = known.get(sql) ?? (await plan(sql))
    const values: (string | null)[] = []
    for (const [place, value] of params.entries()) {
      const serialize = db.serializers[parameters[place] ?? -1] ?? String
      values.push(value === null || value === undefined ? null : serialize(value))
    }
    try {
      const rows: R[] = []
      for (const response of await send(bind({ statement: name, values }), execute())) {
        if (!(response instanceof messages.DataRowMessage)) continue
        const row: Record<string, unknown> = {}
        for (const [place, { name: column, type }] of columns.entries()) {
          const text = response.fields[place] ?? null
          const parseValue = db.parsers[type]
          row[column] = text === null || !parseValue ? text : parseValue(text, type)
        }
        rows.push(row as R)
      }
      return rows
    } catch (error) {
      if (readErrorCode(error) !== stalePlan) throw error
      known.delete(sql)
      return (await db.query<R>(sql, [...params])).rows
    }
  }
}

const folder = new URL('../../../prepared/', import.meta.url)

/**
 * A tar archive of a database folder with our tables, which unpacks faster than PGlite creates one.
 * Undefined without an archive for this version of PGlite.
 */
export async function readPreparedTar(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const version = (await readFile(new URL('pglite-version', folder), 'utf8')).trim()
    if (version !== (await readInstalledVersion())) return undefined
    // large chunks for 16 MB of output
    return await promisify(brotliDecompress)(await readFile(new URL('data.tar.br', folder)), {
      chunkSize: 4_194_304,
    })
  } catch {
    return undefined
  }
}

/** Unpacks the archive unless the folder exists. The rename makes it atomic. */
export async function unpackPrepared(target: string): Promise<void> {
  if (existsSync(target)) return
  const tar = await readPreparedTar()
  if (!tar) return
  const draft = `${target}.draft`
  await rm(draft, { recursive: true, force: true })
  const tables = new Set<string>()
  const makeFolder = (path: string) => {
    if (!tables.has(path)) mkdirSync(path, { recursive: true })
    tables.add(path)
  }
  // for a thousand small files, synchronous calls take a fifth of the time of promises
  for (const { name, bytes } of readEntries(tar)) {
    const path = join(draft, name)
    makeFolder(bytes === undefined ? path : dirname(path))
    if (bytes !== undefined) writeFileSync(path, bytes)
  }
  await rename(draft, target)
}

type TarEntry = { readonly name: string; readonly bytes: Uint8Array | undefined }

/** Files, and directories without bytes, of a ustar archive with short names (POSIX.1, pax). */
export function* readEntries(tar: Uint8Array): Generator<TarEntry> {
  const text = (start: number, length: number) =>
    Buffer.from(tar.subarray(start, start + length))
      .toString('latin1')
      .replace(/\0.*$/s, '')
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const name = text(at, 100).replace(/^\/+/, '')
    const size = parseInt(text(at + 124, 12), 8)
    if (name.split('/').includes('..') || !Number.isSafeInteger(size))
      throw new Error(`The prepared data has an entry ${JSON.stringify(name)}`)
    yield {
      name,
      bytes: text(at + 156, 1) === '5' ? undefined : tar.subarray(at + 512, at + 512 + size),
    }
    at += 512 + Math.ceil(size / 512) * 512
  }
}

async function readInstalledVersion(): Promise<string> {
  const entry = pathToFileURL(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  const manifest = JSON.parse(await readFile(new URL('../package.json', entry), 'utf8')) as {
    readonly version: string
  }
  return manifest.version
}
