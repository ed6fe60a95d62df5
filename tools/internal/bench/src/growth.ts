import { expected, type Arguments } from '@farebox/command-line'
import type { Database } from '@farebox/service'
import { startPostgres } from '@farebox/testing/postgres'
import { keepTable, computeMedian } from './measure.js'
import { chargeOnce, openPostgres, readUsage, fundWallets, fundKeys } from './service/internals.js'
import { load, serveCheckout } from './service/load.js'

export async function benchmarkGrowth(args: Arguments): Promise<void> {
  const sizes = parseSizes(args.text('entries') ?? '1000,100000,1000000')
  const save = args.has('save')
  const postgres = await startPostgres()
  const database = await openPostgres(postgres.url)
  // a batch of entries takes longer than any statement of the service may
  const filling = await openPostgres(postgres.url, { connections: 1, statementMs: 600_000 })
  const table: Record<string, object> = {}
  const { ledger, pick } = await fundWallets(database, accounts)
  const usage = (days: number) => () =>
    readUsage(database, { from: toDay(days - 1), to: toDay(0), by: ['day', 'model'] })
  for (const size of sizes) {
    await fill(filling, size)
    const charge = await time(1_000, () => chargeOnce(ledger, pick()))
    const balance = await time(500, () => ledger.balance(pick()))
    const day = await time(5, usage(1))
    const month = await time(5, usage(30))
    table[`${size.toLocaleString('en')} entries`] = {
      'charge, p50 ms': round(charge.p50, 2),
      'charge, p99 ms': round(charge.p99, 2),
      'balance, p50 ms': round(balance.p50, 2),
      'usage of a day, ms': round(day.p50, 1),
      'usage of 30 days, ms': round(month.p50, 1),
      'database, MB': round(await readSize(database), 0),
    }
  }
  console.log(
    `One charge, one balance or one report at a time on PostgreSQL, in a ledger whose entries of a year belong to ${accounts.toLocaleString('en')} accounts. Target: the p50 of a charge stays within 1.5 of the first row.`,
  )
  console.table(table)
  if (save) keepTable(table, 'growth')
  const bytes = await measureBytes(filling, postgres.url)
  console.log(
    'What a million charged calls with API keys leave in the database and write, and what the service takes for them.',
  )
  console.table(bytes)
  if (save) keepTable(bytes, 'growth-bytes')
  await filling.close()
  await database.close()
  await postgres.stop()
}

function parseSizes(text: string): readonly number[] {
  const sizes = text.split(',').map(Number)
  const isRising = sizes.every((size, index) => index === 0 || size > (sizes[index - 1] ?? 0))
  if (!isRising || !sizes.every((size) => Number.isInteger(size) && size >= accounts))
    throw expected('--entries', text, `rising counts of ${accounts} and more, such as 1000,1000000`)
  return sizes
}

const accounts = 1_000

/**
 * Adds charges until the ledger has so many entries, evenly over the accounts and the last year.
 * Their hashes have the size of real ones, but no chain: an audit would reject them.
 */
async function fill(database: Database, size: number): Promise<void> {
  const [{ count } = { count: 0n }] = await database.query<{ count: bigint }>(
    `select count(*) from entry`,
  )
  const start = Number(count)
  const batch = 200_000
  // without the check of each row's account, which exists
  await database.query('set session_replication_role = replica')
  for (let from = start; from < size; from += batch) {
    const to = Math.min(size, from + batch)
    await database.query(
      `insert into entry (id, account_id, number, amount, balance_after, type, request_id, model_id, hash, created_at)
       select 'led_' || md5(serial::text), account.id, account.entries + 1 + (serial - $1) / ${accounts}, -1, 1000000, 'CHARGE',
         'req_' || md5(serial::text), 'model-' || serial % 10, sha256(serial::text::bytea),
         now() - interval '1 year' * (1 - serial::double precision / $3)
       from generate_series($1::bigint, $2::bigint - 1) serial
       join account on account.name = 'wallet-' || serial % ${accounts}`,
      [from, to, size],
    )
    await database.query(
      `update account set entries = coalesce((select max(number) from entry where account_id = account.id), 0)`,
    )
  }
  await database.query('vacuum analyze entry')
}

type Times = { readonly p50: number; readonly p99: number }

/** Milliseconds of one run, after half as many that warm up. */
async function time(count: number, run: () => Promise<unknown>): Promise<Times> {
  for (let warmUp = 0; warmUp < Math.ceil(count / 2); warmUp++) await run()
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  return {
    p50: computeMedian(times),
    p99: times.toSorted((a, b) => a - b)[Math.floor(count * 0.99)] ?? NaN,
  }
}

/** Charged calls of the service, and by how much each group of tables grew. */
async function measureBytes(
  database: Database,
  url: string,
): Promise<Readonly<Record<string, object>>> {
  const calls = 10_000
  const keys = await fundKeys(database, 400, 'bench')
  const service = await serveCheckout('shared', undefined, { BENCH_DATABASE_URL: url })
  const send = async (count: number) =>
    load(
      service.port,
      (index) => ({
        path: '/api/v1/audio/speech',
        method: 'POST',
        headers: {
          authorization: `Bearer ${keys[index % keys.length]}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ input: 'The tram is late.' }),
      }),
      { count },
    )
  const atStart = await service.usage()
  await send(500)
  const measure = async () => {
    await database.query('vacuum')
    const [row] = await database.query<{ ledger: bigint; rest: bigint; log: string }>(
      `select sum(pg_total_relation_size(oid)) filter (where relname = 'entry')::bigint as ledger,
         sum(pg_total_relation_size(oid)) filter (where relname <> 'entry')::bigint as rest,
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as log
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    if (row === undefined) throw new Error('PostgreSQL does not tell the sizes of tables.')
    return { ledger: Number(row.ledger), rest: Number(row.rest), log: Number(row.log) }
  }
  const before = await measure()
  const usageBefore = await service.usage()
  await send(calls)
  const usage = await service.usage()
  const after = await measure()
  service.stop()
  const perMillion = (bytes: number) => round(bytes / calls, 0)
  return {
    'farebox, 1 process': {
      'ledger, MB': perMillion(after.ledger - before.ledger),
      'holds and limits, MB': perMillion(after.rest - before.rest),
      'write-ahead log, MB': perMillion(after.log - before.log),
      'processor, ms a call': round((usage.cpu - usageBefore.cpu) / calls, 2),
      'memory at the start, MB': round(atStart.rss / 1e6, 0),
      'memory under load, MB': round(usage.rss / 1e6, 0),
    },
  }
}

async function readSize(database: Database): Promise<number> {
  const [row] = await database.query<{ size: bigint }>(
    'select pg_database_size(current_database()) as size',
  )
  return Number(row?.size ?? 0n) / 1e6
}

function toDay(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
