import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Party } from '@farebox/testing/fault-server'
import { findNewerNode } from '@farebox/testing/runtimes'
import { build } from 'esbuild'
import { root } from '../measure.js'
import { installPeer } from '../peer-versions.js'

type Fetch = typeof globalThis.fetch
export type ClientBundle = {
  readonly create: (baseUrl: string, fetch: Fetch, timeoutMs: number | undefined) => Promise<Party>
}

const json = { content: { 'application/json': { schema: { type: 'object' } } } }
const responses = {
  200: { description: 'Done', ...json },
  default: { description: 'Failed', ...json },
}

/** A document of a service that is not ours: no `x-` fields, and every failure is `default`. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Foreign', version: '1' },
  security: [{ token: [] }],
  paths: {
    '/models': { get: { operationId: 'listModels', responses } },
    '/video/queue': {
      post: {
        operationId: 'queueVideo',
        requestBody: { required: true, ...json },
        responses,
      },
    },
  },
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
}

/** The client that we generate with its layers for the network, and a failure budget. */
export function foreign(place: string): Promise<ClientBundle> {
  return bundle(
    place,
    'foreign',
    [
      process.execPath,
      join(root, 'tools/codegen/dist/cli.js'),
      ...'--spec api.json --out client --only types,client --no-cache --quiet'.split(' '),
      ...'--network retry --network rateLimit --network timeout'.split(' '),
    ],
    `import { createClient } from './client/client/index.js'
import { withMiddleware } from '@farebox/middleware'
import { failureBudget } from '@farebox/retry'
export async function create(baseUrl, fetch, timeoutMs) {
  const client = createClient({ baseUrl, credentials: { token: 'KEY' }, fetch: withMiddleware(fetch, failureBudget()), network: { timeout: { ...(timeoutMs && { totalMs: timeoutMs }), responseMs: timeoutMs ?? 30_000, idleMs: 10_000 } } })
  const dataOf = ({ data, error, status }) => {
    if (status !== 200) throw new Error('Failed with ' + status, { cause: error })
    return data
  }
  return {
    get: async (signal) => dataOf(await client.listModels({}, { signal })),
    post: async (signal) => dataOf(await client.queueVideo({ body: {} }, { signal })),
  }
}`,
  )
}

/** hey-api's client, which has no retries of its own. */
export function heyApi(place: string): Promise<ClientBundle> {
  return bundle(
    place,
    'hey-api',
    [
      findNewerNode(),
      join(installPeer('@hey-api/openapi-ts', ['typescript@5.9.3']), 'bin/run.js'),
      ...'-i ./api.json -o client -p @hey-api/typescript @hey-api/sdk @hey-api/client-fetch'.split(
        ' ',
      ),
    ],
    `import { listModels, queueVideo } from './client/index.js'
export async function create(baseUrl, fetch, timeoutMs) {
  const options = { baseUrl, fetch, auth: 'KEY', throwOnError: true }
  const limited = (signal) => {
    const signals = [signal, timeoutMs && AbortSignal.timeout(timeoutMs)].filter(Boolean)
    return signals.length < 2 ? signals[0] : AbortSignal.any(signals)
  }
  return {
    get: async (signal) => (await listModels({ ...options, signal: limited(signal) })).data,
    post: async (signal) => (await queueVideo({ ...options, signal: limited(signal), body: {} })).data,
  }
}`,
  )
}

/** Redocly's client, with its retries, limit of time and idempotency keys on. */
export function redocly(place: string): Promise<ClientBundle> {
  return bundle(
    place,
    'redocly',
    [
      findNewerNode(),
      join(installPeer('@redocly/cli'), 'bin/cli.js'),
      ...'generate-client api.json -o client/index.ts'.split(' '),
    ],
    `import { createClient, OPERATIONS } from './client/index.js'
export async function create(serverUrl, fetch, timeout) {
  const client = createClient(OPERATIONS, {
    serverUrl, fetch, timeout, auth: { bearer: 'KEY' },
    retry: { retries: 2, retryStrategy: 'exponential' }, idempotencyKey: true,
  })
  return {
    get: (signal) => client.listModels({}, { signal }),
    post: (signal) => client.queueVideo({ body: {} }, { signal }),
  }
}`,
  )
}

/** Generates a client and bundles it with a function that creates it. */
async function bundle(
  place: string,
  name: string,
  [command = '', ...args]: readonly string[],
  entry: string,
): Promise<ClientBundle> {
  const folder = join(place, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'api.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'entry.js'), entry)
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name} generates no client: ${stderr || stdout}`)
  const outfile = join(folder, 'bundle.mjs')
  await build({
    entryPoints: [join(folder, 'entry.js')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  })
  return import(pathToFileURL(outfile).href) as Promise<ClientBundle>
}
