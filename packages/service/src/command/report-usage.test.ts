import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '@farebox/command-line'
import { startPostgres } from '@farebox/testing/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { createKeyAdministration } from '../domain/accounts/key-administration.js'
import { createLedger } from '../domain/ledger/ledger.js'
import { readUsage, type UsageRow, formatUsageFile } from '../domain/usage/usage-report.js'
import type { Database } from '../platform/database/database.js'
import { migrate } from '../platform/database/migrate.js'
import { openDatabase } from '../platform/database/open-database.js'
import { openPostgres } from '../platform/database/postgres.js'
import { reportUsage } from './report-usage.js'
import { program } from './settings/program.js'
import { readSettings } from './settings/settings.js'

const dayMs = 86_400_000
const wallet = '0x1111111111111111111111111111111111111111'
const formula = '=HYPERLINK("https://x","+1")'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'farebox-usage-'))))
afterAll(() => rmSync(folder, { recursive: true }))

/** Two days of charges. Resolves to the id of the API key. */
async function fill(database: Database): Promise<string> {
  const clock = { time: Date.parse('2026-02-01T23:59:59.999Z') }
  let serial = 0
  const ledger = createLedger(database, { now: () => clock.time, id: () => String(++serial) })
  const payment = {
    id: 'p',
    network: 'test',
    asset: 'test',
    payer: wallet,
    nonce: 'n',
    settledBy: 'test',
    transaction: '',
  }
  await ledger.creditPayment({ ...payment, amount: 5_000_000n })
  await ledger.grant('key:tram', 5_000_000n)
  await ledger.setDailyCredit('key:tram', 1_000n)
  const made = await createKeyAdministration(database, {
    now: () => clock.time,
    pepper: 'p',
  }).create({
    account: 'key:tram',
    type: 'INFERENCE',
    description: '',
  })
  if (made.status !== 'created') throw new Error('no key')
  const charge = async (
    amount: bigint,
    modelId: string | null,
    cost: bigint | null,
    keyId?: string,
  ) => {
    const account = keyId === undefined ? wallet : 'key:tram'
    const held = await ledger.hold(
      { account, amount, requestId: 'r', modelId, ...(keyId !== undefined && { keyId }) },
      60_000,
    )
    if (held.status !== 'held') throw new Error('no hold')
    const done = await ledger.capture(held.id, amount, modelId, undefined, cost)
    return done.status === 'captured' ? done.entryId : ''
  }
  const undone = await charge(10_000n, 'tts-kokoro', 4_000n)
  await charge(20_000n, 'tts-kokoro', 21_000n)
  clock.time += 1
  await ledger.refund(undone)
  await charge(3_000n, formula, 0n, made.key.id)
  await charge(500n, null, null)
  clock.time += dayMs
  await charge(7n, 'tts-kokoro', 1n)
  return made.key.id
}

const engines = [
  {
    engine: 'PGlite',
    open: async () => ({
      database: await openEmptyDatabase(),
      url: undefined,
      stop: async () => undefined,
    }),
  },
  {
    engine: 'PostgreSQL',
    open: async () => {
      const server = await startPostgres()
      const database = await openPostgres(server.url)
      await migrate(database)
      return { database, url: server.url, stop: server.stop }
    },
  },
]

describe.each(engines)('the usage report on $engine', ({ open }) => {
  let opened: Awaited<ReturnType<(typeof engines)[number]['open']>>
  let key: string
  beforeAll(async () => {
    opened = await open()
    key = await fill(opened.database)
  })
  afterAll(async () => {
    await opened.database.close()
    await opened.stop()
  })

  /** On PostgreSQL as the command writes it, beside the connections of a service. */
  async function report(...args: readonly string[]): Promise<Buffer> {
    const file = join(folder, 'report')
    const environment = opened.url === undefined ? {} : { FAREBOX_DATABASE_URL: opened.url }
    const invocation = readArguments(
      program,
      ['usage', '--from', '2026-02-01', '--to', '2026-02-02', ...args, '-o', file],
      { environment },
    )
    const settings =
      'show' in invocation ? undefined : readSettings(invocation.arguments, environment)
    if (!settings?.usage) throw new Error('It is another command.')
    const { usage } = settings
    if (opened.url === undefined) {
      const parts: Buffer[] = []
      for await (const part of formatUsageFile(
        usage.format,
        usage.by,
        readUsage(opened.database, usage),
      ))
        parts.push(Buffer.from(part))
      return Buffer.concat(parts)
    }
    expect(await reportUsage(settings, usage)).toBe(0)
    expect(readdirSync(folder)).toEqual(['report'])
    return readFileSync(file)
  }

  it('sums up charges, refunds, costs and margins by day, key, wallet and model, in CSV without formulas', async () => {
    const heads =
      'requests,refunds,charged_usd,refunded_usd,daily_credit_usd,requests_without_cost,cost_usd,margin_usd'
    expect((await report('--by', 'model,day,key,wallet')).toString().split('\r\n')).toEqual([
      `day,key,wallet,model,${heads}`,
      `2026-02-01,,${wallet},tts-kokoro,2,0,0.030000,0.000000,0.000000,0,0.025000,0.005000`,
      `2026-02-02,${key},key:tram,"'=HYPERLINK(""https://x"",""+1"")",1,0,0.003000,0.000000,0.001000,0,0.000000,0.003000`,
      `2026-02-02,,${wallet},tts-kokoro,0,1,0.000000,0.010000,0.000000,0,0.000000,-0.010000`,
      `2026-02-02,,${wallet},,1,0,0.000500,0.000000,0.000000,1,,`,
      '',
    ])
  })

  it('omits cost and margin if the cost of any charge is unknown', async () => {
    const rows = JSON.parse(
      (await report('--by', 'wallet', '--format', 'json')).toString(),
    ) as unknown
    expect(rows).toEqual([
      {
        wallet,
        requests: 3,
        refunds: 1,
        charged_usd: 0.0305,
        refunded_usd: 0.01,
        daily_credit_usd: 0,
        requests_without_cost: 1,
        cost_usd: null,
        margin_usd: null,
      },
      {
        wallet: 'key:tram',
        requests: 1,
        refunds: 0,
        charged_usd: 0.003,
        refunded_usd: 0,
        daily_credit_usd: 0.001,
        requests_without_cost: 0,
        cost_usd: 0,
        margin_usd: 0.003,
      },
    ])
  })

  it('is empty for days without entries, in every format', async () => {
    const args = ['--from', '2020-01-01', '--to', '2020-01-02', '--by', 'day']
    expect((await report(...args)).toString()).toMatch(/^day,requests[^\n]*\r\n$/)
    expect((await report(...args, '--format', 'json')).toString()).toBe('[]\n')
  })
})

it('streams a report of any length', async () => {
  let read = 0
  const row: UsageRow = {
    requests: 1,
    refunds: 0,
    charged: 2n ** 53n + 1n,
    refunded: 0n,
    dailyCredit: 0n,
    uncosted: 0,
    cost: 0n,
    margin: 1n,
  }
  const rows = async function* () {
    for (; read < 3; read++) yield row
  }
  const readAt: number[] = []
  for await (const part of formatUsageFile('csv', [], rows()))
    if (part.includes('9007199254.740993')) readAt.push(read)
  expect(readAt).toEqual([0, 1, 2])
})

it.skipIf(process.platform === 'win32')(
  'writes to a pipe and to the file behind a link, and puts no file in their place',
  async () => {
    const own = mkdtempSync(join(tmpdir(), 'farebox-usage-outputs-'))
    const data = join(own, 'ledger')
    const database = await openDatabase({ data })
    await migrate(database)
    await database.close()
    const [pipe, file, link] = ['pipe', 'file', 'link'].map((name) => join(own, name)) as [
      string,
      string,
      string,
    ]
    execFileSync('mkfifo', [pipe])
    writeFileSync(file, 'the report of yesterday')
    symlinkSync(file, link)
    const reader = await open(pipe, 'r+')
    for (const output of [pipe, link]) {
      const args = ['usage', '--data', data, '--by', 'day', '--output', output]
      const invocation = readArguments(program, args, { environment: {} })
      const settings = 'show' in invocation ? undefined : readSettings(invocation.arguments, {})
      if (!settings?.usage) throw new Error('It is another command.')
      expect(await reportUsage(settings, settings.usage)).toBe(0)
    }
    expect([lstatSync(pipe).isFIFO(), lstatSync(link).isSymbolicLink()]).toEqual([true, true])
    expect(readFileSync(file, 'utf8')).toMatch(/^day,requests/)
    const { buffer, bytesRead } = await reader.read()
    expect(buffer.toString('utf8', 0, bytesRead)).toBe(readFileSync(file, 'utf8'))
    await reader.close()
    rmSync(own, { recursive: true })
  },
)

it('rejects a folder without a database, and leaves it unchanged', async () => {
  const data = join(folder, 'nothing')
  const invocation = readArguments(program, ['usage', '--data', data], { environment: {} })
  const settings = 'show' in invocation ? undefined : readSettings(invocation.arguments, {})
  if (!settings?.usage) throw new Error('It is another command.')
  await expect(reportUsage(settings, settings.usage)).rejects.toThrow(
    `The folder ${data} has no database.`,
  )
  expect(readdirSync(folder)).not.toContain('nothing')
})

it('rejects a database without costs in one sentence', async () => {
  const database: Database = {
    query: async () => [],
    transaction: async () => undefined,
    close: async () => undefined,
  }
  const all = readUsage(database, { from: '2026-02-01', to: '2026-02-01', by: [] })
  await expect(all.next()).rejects.toThrow('Start this version of the service on it once.')
})
