import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findContradictions } from './contradictions.js'
import type { Knowledge, EntryRow, LedgerRows } from './knowledge.js'
import { findBrokenOperations } from './probe.js'
import type { ServiceProcess } from './service-process.js'

/** What ran. */
type TestRun = {
  readonly postgres: { readonly url: string }
  readonly services: readonly [ServiceProcess, ...(readonly ServiceProcess[])]
}

const command = fileURLToPath(new URL('../../../../packages/service/dist/bin.js', import.meta.url))
const attempts = 480

/**
 * Ends a run: every operation works again, all videos end, both services stop as asked, and the
 * holds of killed ones end with their leases. Then compares the ledger with all responses.
 * Returns the faults. Without `probes` no operation is tried, as its upstream may fail.
 */
export async function settle(
  { postgres, services }: TestRun,
  knowledge: Knowledge,
  probes = true,
): Promise<string[]> {
  const wrong: string[] = []
  for (const service of services) {
    if (probes)
      wrong.push(
        ...(await findBrokenOperations(service)).map((what) => `after the faults: ${what}`),
      )
    for (const ending of service.endings) wrong.push(`a service ended by itself, with ${ending}`)
  }
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    // leases of videos of killed processes last three minutes, which the run skips
    await client.query(`update video_job set lease_until = now() where state = 'running'`)
    const videos = `select count(*)::int as count from video_job where state in ('queued', 'running')`
    if (!(await isNone(client, videos))) wrong.push('videos are still queued')
    for (const service of services) {
      const code = await service.stop()
      if (code !== 0) wrong.push(`a service ended with ${code} on SIGTERM`)
    }
    // only leases of killed processes are left; the next service finds them ended
    await client.query('update process set alive_until = now()')
    await services[0].start()
    const open = `select count(*)::int as count from hold where state = 'held'`
    if (!(await isNone(client, open))) wrong.push('holds are still open')
    await services[0].stop()
    wrong.push(...findContradictions(knowledge, await readLedger(client)))
  } finally {
    await client.end()
  }
  const { code, output } = await audit(postgres.url)
  if (code !== 0) wrong.push(`farebox-service audit: ${output.trim()}`)
  return wrong
}

async function isNone(client: pg.Client, sql: string): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { rows } = await client.query<{ count: number }>(sql)
    if (rows[0]?.count === 0) return true
    await sleep(250)
  }
  return false
}

async function audit(
  databaseUrl: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [command, 'audit'], {
    env: { ...process.env, FAREBOX_DATABASE_URL: databaseUrl },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** Reads the ledger as one moment has it. Amounts are in micro-USD. */
export async function readLedger(client: pg.Client): Promise<LedgerRows> {
  await client.query('begin isolation level repeatable read')
  try {
    const accounts = await client.query<{ name: string; balance: string; held: string }>(
      'select name, balance, held from account',
    )
    const entries = await client.query<
      Record<'name' | 'type' | 'amount', string> &
        Record<'request_id' | 'model_id' | 'key_id', string | null>
    >(
      'select a.name, e.type, e.amount, e.request_id, e.model_id, e.key_id from entry e join account a on a.id = e.account_id',
    )
    const videos = await client.query<{ id: string; state: string }>(
      'select id, state from video_job',
    )
    return {
      accounts: accounts.rows.map(({ name, balance, held }) => ({
        account: name,
        balance: BigInt(balance),
        held: BigInt(held),
      })),
      entries: entries.rows.map(
        ({
          name,
          type,
          amount,
          request_id: requestId,
          model_id: model,
          key_id: keyId,
        }): EntryRow => ({
          account: name,
          type,
          amount: BigInt(amount),
          requestId,
          model,
          keyId,
        }),
      ),
      videos: new Map(videos.rows.map(({ id, state }) => [id, state])),
    }
  } finally {
    await client.query('rollback')
  }
}
