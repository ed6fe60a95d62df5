import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { bearer } from '@farebox/auth'
import type { createClient } from '@farebox/client'
import type { quoteVideo } from '@farebox/client/operations'
import type { compose, fetchSend } from '@farebox/middleware'
import type { rateLimit, retry } from '@farebox/retry'
import type { createFarebox } from 'farebox'
import { takeTurns, showTable } from '../measure.js'

export type Setup = {
  /** A folder with the packed packages in its node_modules. */
  readonly place: string
  /** The ESM entry of openai. */
  readonly openai: string
  /** Keeps the tables for the site. */
  readonly save: boolean
}

/** What a target says: `found` may be at most `most`. */
export type Limit = { readonly what: string; readonly found: number; readonly most: number }

/** What the packed packages export. */
type Ours = {
  readonly bearer: typeof bearer
  readonly compose: typeof compose
  readonly createClient: typeof createClient
  readonly createFarebox: typeof createFarebox
  readonly fetchSend: typeof fetchSend
  readonly rateLimit: typeof rateLimit
  readonly quoteVideo: typeof quoteVideo
  readonly retry: typeof retry
}

type OpenapiFetch = {
  readonly default: (options: { readonly baseUrl: string; readonly fetch: typeof fetch }) => {
    readonly use: (middleware: {
      readonly onRequest: (context: { readonly request: Request }) => void
    }) => void
    readonly POST: (path: string, init: { readonly body: unknown }) => Promise<unknown>
  }
}

type OpenAi = {
  readonly default: new (options: {
    readonly apiKey: string
    readonly baseURL: string
    readonly fetch: typeof fetch
  }) => {
    readonly post: (path: string, options: { readonly body: unknown }) => Promise<unknown>
  }
}

const callsOfATurn = 400

/** Against a fetch that responds at once, with the rate limits that the service announces. */
export async function measureCallCost(
  { place, openai, save }: Setup,
  rounds: number,
): Promise<readonly Limit[]> {
  const ours = (await import(pathToFileURL(findEntry(place)).href)) as Ours
  const { default: createPlain } = (await load(
    join(place, 'node_modules/openapi-fetch/dist/index.mjs'),
  )) as OpenapiFetch
  const { default: OpenAI } = (await load(openai)) as OpenAi

  const fetch = fetchWithin(Date.now())
  const baseUrl = 'http://127.0.0.1:4020/api/v1'
  const body = { model: 'local-test-clip', duration: '5s' } as const
  const middleware = [ours.retry(), ours.rateLimit(), ours.bearer('KEY')]

  const plain = createPlain({ baseUrl, fetch })
  plain.use({
    onRequest: ({ request }) => {
      request.headers.set('authorization', 'Bearer KEY')
    },
  })
  const client = ours.createClient({ baseUrl, fetch, middleware })
  const signed = ours.createClient({ baseUrl, fetch, middleware: [ours.bearer('KEY')] })
  const service = { baseUrl, send: ours.compose(ours.fetchSend(fetch), middleware) }
  const farebox = ours.createFarebox({ baseUrl, fetch, apiKey: 'KEY' })
  const theirs = new OpenAI({ apiKey: 'KEY', baseURL: baseUrl, fetch })

  const times = await takeTurns(
    {
      'the fetch alone': async () => (await fetch(baseUrl)).json(),
      'openapi-fetch, auth middleware': () => plain.POST('/video/quote', { body }),
      'Farebox: a method, bearer only': () => signed.quoteVideo(body),
      'Farebox: a method': () => client.quoteVideo(body),
      'Farebox: a function': () => ours.quoteVideo(service, body),
      'Farebox: by path': () => client.POST('/video/quote', { body }),
      'Farebox: the SDK, everything on': () => farebox.quoteVideo(body),
      'openai, retries': () => theirs.post('/video/quote', { body }),
    },
    { rounds, warmUp: 10, calls: callsOfATurn },
  )
  const base = times['openapi-fetch, auth middleware']
  console.log(
    `In-process cost of a call, median of ${rounds} rounds of ${callsOfATurn} that take turns, Node ${process.versions.node}. Ours have bearer, retry and rateLimit, but for one. Target: 0.8 of openapi-fetch, and 1.5 for the SDK.`,
  )
  const rows = Object.entries(times).map(([name, time]) => [
    name,
    {
      'µs a call': Number((time * 1000).toFixed(1)),
      'to openapi-fetch': Number((time / base).toFixed(2)),
    },
  ])
  showTable(Object.fromEntries(rows), save && 'client-calls')
  return [
    { what: 'the cost of a method', found: times['Farebox: a method'] / base, most: 0.8 },
    {
      what: 'the cost of a call of the SDK',
      found: times['Farebox: the SDK, everything on'] / base,
      most: 1.5,
    },
    { what: 'the cost of a function', found: times['Farebox: a function'] / base, most: 0.8 },
  ]
}

/** A module beside the packed packages, so that it imports them and not the sources. */
function findEntry(place: string): string {
  const entry = join(place, 'cost.mjs')
  writeFileSync(
    entry,
    `export { bearer } from '@farebox/auth'
export { createClient } from '@farebox/client'
export { quoteVideo } from '@farebox/client/operations'
export { compose, fetchSend } from '@farebox/middleware'
export { rateLimit, retry } from '@farebox/retry'
export { createFarebox } from 'farebox'
`,
  )
  return entry
}

function load(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href)
}

function fetchWithin(now: number): typeof fetch {
  const response = JSON.stringify({ quote: 0.25 })
  const headers = {
    'content-type': 'application/json',
    'x-ratelimit-limit-requests': '1000000000',
    'x-ratelimit-remaining-requests': '1000000000',
    'x-ratelimit-reset-requests': String(Math.ceil(now / 1000) + 3600),
  }
  return async () => new Response(response, { headers })
}
