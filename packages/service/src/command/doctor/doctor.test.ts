import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '@farebox/command-line'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../../test/empty-database.js'
import { supportsBoth, supportsUpto } from '../../../test/fake-facilitator.js'
import type { Database } from '../../platform/database/database.js'
import { DatabaseUnreachableError } from '../../platform/database/storage-error.js'
import { program } from '../settings/program.js'
import { checkSchema, checkSpace } from './check-storage.js'
import { doctor } from './doctor.js'
import type { Finding } from './finding.js'

let folder: string
let database: Database
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-doctor-'))
  database = await openEmptyDatabase()
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const origin = 'https://api.example.com'
const noWallets = { FAREBOX_NO_WALLETS: '1' }
const postgres = { FAREBOX_DATABASE_URL: 'postgres://u:s3cret@db/ledger', FAREBOX_ORIGIN: origin }
const facilitator = {
  ...postgres,
  FAREBOX_FACILITATOR: 'https://x402.example',
  FAREBOX_PAY_TO: `0x${'1'.repeat(40)}`,
  FAREBOX_FACILITATOR_KEY: 's3cret',
}
const speech = {
  ...postgres,
  FAREBOX_SPEECH_UPSTREAM: 'https://speech.example/v1',
  FAREBOX_SPEECH_UPSTREAM_KEY: 's3cret',
}
const video = { ...postgres, FAREBOX_VIDEO_UPSTREAM: 'https://video.example/api/v1' }

type Web = Readonly<Record<string, () => Response>>
const failToConnect = () => {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  })
}
const createDocumentResponse = (said = `${origin}/api/v1`) =>
  Response.json({ servers: [{ url: said }] })
const good: Web = {
  [`${origin}/openapi.json`]: () => createDocumentResponse(),
  'https://x402.example/supported': () =>
    Response.json(supportsBoth, { headers: { date: new Date().toUTCString() } }),
  'https://speech.example/v1/models': () => Response.json({}),
  'https://video.example/api/v1/api_keys/rate_limits': () => Response.json({}),
}

type Case = {
  readonly web?: Web
  readonly args?: readonly string[]
  readonly open?: () => Promise<Database>
  readonly now?: () => number
}

async function runDoctor(
  environment: Readonly<Record<string, string>>,
  { web = {}, args = [], open, now = Date.now }: Case = {},
) {
  const invocation = readArguments(program, ['doctor', '--json', ...args], { environment })
  if ('show' in invocation) throw new Error('It shows a text.')
  const pages = { ...good, ...web }
  const sources = {
    fetch: async (input: unknown) =>
      (pages[String(input)] ?? (() => new Response('', { status: 404 })))(),
    now,
    open: open ?? (async () => ({ ...database, close: async () => undefined })),
  }
  let text = ''
  const code = await doctor(
    invocation.arguments,
    environment,
    (line) => void (text += line),
    sources,
  )
  expect(text).not.toContain('s3cret')
  const { checks } = JSON.parse(text) as { readonly checks: readonly Finding[] }
  const failures = checks.filter(({ mark }) => mark === 'failed')
  return {
    code,
    failures,
    of: (name: string) => checks.find(({ check }) => check === name),
    marks: checks.map(({ mark }) => mark),
  }
}

describe('doctor', () => {
  it('reports no problem for a healthy service, and exits with 0', async () => {
    const { code, marks, of, failures } = await runDoctor({ ...facilitator, ...speech, ...video })
    expect(failures).toEqual([])
    expect(marks.filter((mark) => mark !== 'ok')).toEqual(['skipped', 'skipped', 'skipped'])
    expect(code).toBe(0)
    expect(of('facilitator')?.found).toBe('x402.example settles on eip155:8453')
    expect(of('speech-upstream')?.found).toBe('speech.example responds and accepts the key')
  })

  it('checks the upstreams of a file, each by name, and locates errors in the file', async () => {
    const file = join(folder, 'upstreams.yaml')
    await writeFile(
      file,
      'upstreams:\n  - { name: voices, capability: speech, url: https://speech.example/v1, key: { variable: VOICES_KEY } }\n',
    )
    const set = { FAREBOX_UPSTREAMS: file, VOICES_KEY: 's3cret-voices' }
    expect((await runDoctor(set)).of('upstream voices')?.found).toBe(
      'speech.example responds and accepts the key',
    )
    const down = await runDoctor(set, {
      web: { 'https://speech.example/v1/models': () => new Response('', { status: 403 }) },
    })
    expect(down.of('upstream voices')?.advice).toBe(`Set the key of "voices" in ${file}.`)
    await writeFile(
      file,
      'upstreams:\n  - { name: voices, capability: speach, url: https://speech.example/v1 }\n',
    )
    const { code, of } = await runDoctor(set)
    expect(code).toBe(1)
    expect(of('upstreams')?.found).toContain(`${file}:2: /upstreams/0/capability`)
  })

  it('reads the catalogue and locates errors in it', async () => {
    const file = join(folder, 'catalogue.json')
    await writeFile(file, '{}')
    expect((await runDoctor({ FAREBOX_CATALOGUE: file })).of('catalogue')?.mark).toBe('ok')
    await writeFile(file, '{ "modells": {} }')
    const { code, of } = await runDoctor({ FAREBOX_CATALOGUE: file })
    expect(code).toBe(1)
    expect(of('catalogue')?.found).toContain(`${file}:1: /modells`)
  })

  it('says that the first start creates a missing folder', async () => {
    const { code, of } = await runDoctor({}, { args: ['--data', join(folder, 'new', 'data')] })
    expect(code).toBe(0)
    expect(of('data-folder')?.found).toContain('the first start creates')
    expect(of('database')?.mark).toBe('skipped')
  })

  it('prints a line for each check', async () => {
    const invocation = readArguments(program, ['doctor', '--port', 'x'], { environment: {} })
    if ('show' in invocation) throw new Error('It shows a text.')
    const lines: string[] = []
    expect(await doctor(invocation.arguments, {}, (line) => lines.push(line))).toBe(1)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /^failed {3}settings {11}--port: found "x", expected .* -> farebox-service --help has all options\.$/,
    )
  })

  const late = () => Date.now() - 60_000
  it.each<[string, string, Readonly<Record<string, string>>, Case, string]>([
    [
      'an option that cannot be read',
      'settings',
      { FAREBOX_ORIGIN: 'here' },
      {},
      '--origin: found "here"',
    ],
    [
      'an origin without a service',
      'origin',
      postgres,
      { web: { [`${origin}/openapi.json`]: () => new Response('', { status: 502 }) } },
      '502',
    ],
    [
      'an origin of something else',
      'origin',
      postgres,
      { web: { [`${origin}/openapi.json`]: () => new Response('<p>') } },
      'else responds',
    ],
    [
      'an origin of another service',
      'origin',
      postgres,
      { web: { [`${origin}/openapi.json`]: () => createDocumentResponse('http://a/api/v1') } },
      'http://a/api/v1',
    ],
    [
      'an origin without TLS',
      'origin',
      { ...postgres, FAREBOX_ORIGIN: 'http://api.example.com' },
      {
        web: {
          'http://api.example.com/openapi.json': () =>
            createDocumentResponse('http://api.example.com/api/v1'),
        },
      },
      'no TLS',
    ],
    [
      'payments that nobody settles',
      'facilitator',
      postgres,
      {},
      `The origin ${origin} is public, and payments are not settled`,
    ],
    [
      'an upstream that may bill',
      'facilitator',
      { FAREBOX_SPEECH_UPSTREAM: 'https://speech.example/v1' },
      {},
      'The upstream "speech" may bill',
    ],
    [
      'an address for others',
      'facilitator',
      { FAREBOX_HOST: '0.0.0.0' },
      {},
      'The service listens at 0.0.0.0',
    ],
    [
      'processes without an origin',
      'origin',
      { FAREBOX_DATABASE_URL: 'postgres://db/ledger' },
      {},
      'there is no --origin',
    ],
    [
      'a key that is rejected',
      'speech-upstream',
      speech,
      { web: { 'https://speech.example/v1/models': () => new Response('', { status: 401 }) } },
      'rejects the key (status 401)',
    ],
    [
      'an upstream that is down',
      'video-upstream',
      video,
      { web: { 'https://video.example/api/v1/api_keys/rate_limits': failToConnect } },
      'ECONNREFUSED',
    ],
    [
      'a facilitator that is down',
      'facilitator',
      facilitator,
      { web: { 'https://x402.example/supported': failToConnect } },
      'ECONNREFUSED',
    ],
    [
      'a facilitator of another chain',
      'facilitator',
      facilitator,
      { web: { 'https://x402.example/supported': () => Response.json({ kinds: [] }) } },
      'does not settle on eip155:8453',
    ],
    [
      'the key of a facilitator',
      'facilitator',
      facilitator,
      { web: { 'https://x402.example/supported': () => new Response('', { status: 403 }) } },
      'rejects the key',
    ],
    [
      'a facilitator without upto, which is to be offered',
      'facilitator-upto',
      { ...facilitator, FAREBOX_UPTO_USD: '0.1' },
      {},
      'does not settle "upto" on eip155:8453',
    ],
    [
      'a clock that a facilitator does not share',
      'facilitator-clock',
      facilitator,
      { now: late },
      'ahead of this machine',
    ],
    [
      'a clock that the database does not share',
      'clock',
      postgres,
      { now: late },
      'ahead of this machine',
    ],
    [
      'a database that is down',
      'database',
      postgres,
      {
        open: () =>
          Promise.reject(new DatabaseUnreachableError('The database ledger at db cannot be used.')),
      },
      'cannot be used',
    ],
  ])('finds %s: %s', async (_what, check, environment, given, found) => {
    const { code, of } = await runDoctor(environment, given)
    expect(of(check)).toMatchObject({
      mark: 'failed',
      found: expect.stringContaining(found) as string,
      advice: expect.any(String) as string,
    })
    expect(code).toBe(1)
  })

  it('checks that the facilitator settles upto where it is offered', async () => {
    const web = { 'https://x402.example/supported': () => Response.json(supportsUpto) }
    const { of } = await runDoctor({ ...facilitator, FAREBOX_UPTO_USD: '0.1' }, { web })
    expect(of('facilitator-upto')?.found).toBe('x402.example settles "upto" on eip155:8453')
    expect((await runDoctor(facilitator, { web })).of('facilitator-upto')).toBeUndefined()
  })

  it('warns of a service that has not started yet', async () => {
    const { code, of } = await runDoctor(
      { ...postgres, ...noWallets },
      { web: { [`${origin}/openapi.json`]: failToConnect } },
    )
    expect([code, of('origin')?.mark]).toEqual([0, 'warning'])
  })

  it('reports a secret that others can read and a missing one together', async () => {
    const file = join(folder, 'key')
    await writeFile(file, 's3cret')
    await chmod(file, 0o644)
    const { code, of } = await runDoctor({
      FAREBOX_ADMIN_KEY_FILE: file,
      FAREBOX_KEY_PEPPER_FILE: join(folder, 'none'),
    })
    expect(of('secrets')?.found).toMatch(/none cannot be read.*chmod 600/s)
    expect(code).toBe(1)
    await chmod(file, 0o600)
    expect((await runDoctor({ FAREBOX_ADMIN_KEY_FILE: file })).of('secrets')?.mark).toBe('ok')
  })

  it('reports a data folder that is a file, and one that others can read', async () => {
    await writeFile(join(folder, 'file'), '')
    expect(
      (await runDoctor({}, { args: ['--data', join(folder, 'file')] })).of('data-folder')?.mark,
    ).toBe('failed')
    await mkdir(join(folder, 'open'))
    await chmod(join(folder, 'open'), 0o755)
    expect(
      (await runDoctor({}, { args: ['--data', join(folder, 'open')] })).of('data-folder'),
    ).toMatchObject({
      mark: 'warning',
      advice: `Run chmod 700 ${join(folder, 'open')}.`,
    })
  })

  it.each([
    [100, 'failed'],
    [1_000, 'warning'],
    [100_000, 'ok'],
  ])('reports for %i MiB of free space: %s', (mebibytes, mark) => {
    expect(
      checkSpace({ data: folder, databaseUrl: undefined }, () => mebibytes * 1024 * 1024).mark,
    ).toBe(mark)
  })

  it('reports pending schema migrations, and those of a newer version', async () => {
    const steps = [1, 2].map((id) => ({ id, name: '', statements: [] }))
    const digest = createHash('sha256').digest('hex')
    const responses = (ids: readonly number[], last = digest): Database => ({
      ...database,
      query: (async (sql: string) =>
        sql.includes('to_regclass')
          ? [{ name: 'migration' }]
          : ids.map((id) => ({
              id,
              digest: id === ids.at(-1) ? last : digest,
            }))) as Database['query'],
    })
    expect(await checkSchema(responses([1]), steps)).toMatchObject({
      mark: 'warning',
      found: '1 steps are pending, up to 2',
    })
    expect(await checkSchema(responses([1, 2, 3]), steps)).toMatchObject({
      mark: 'failed',
      found: 'a newer program made step 3',
    })
    expect(await checkSchema(responses([1, 2], 'other'), steps)).toMatchObject({
      mark: 'failed',
      found: 'another build of this program made step 2',
    })
    expect((await checkSchema(responses([1, 2]), steps)).mark).toBe('ok')
  })

  it('reports sessions that wait for a lock, and those that hold one', async () => {
    const counted = (waiting: bigint, idle: bigint) => async () => ({
      ...database,
      query: (async (sql: string) =>
        sql.includes('pg_stat_activity')
          ? [{ waiting, idle }]
          : database.query(sql)) as Database['query'],
      close: async () => undefined,
    })
    expect((await runDoctor(postgres, { open: counted(2n, 1n) })).of('locks')?.mark).toBe('failed')
    expect((await runDoctor(postgres, { open: counted(2n, 0n) })).of('locks')?.mark).toBe('warning')
  })

  it('reports a PostgreSQL that is too old', async () => {
    const open = async () => ({
      ...database,
      query: (async (sql: string) =>
        sql.includes('server_version_num')
          ? [{ number: '130004' }]
          : database.query(sql)) as Database['query'],
      close: async () => undefined,
    })
    expect((await runDoctor(postgres, { open })).of('database')).toMatchObject({
      mark: 'failed',
      found: 'PostgreSQL 13 responds',
    })
  })
})
