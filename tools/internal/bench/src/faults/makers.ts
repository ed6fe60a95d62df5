import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Make, Limits } from '@farebox/testing/fault-server'
import type { createFarebox } from 'farebox'
import { createAiSdk } from './ai-sdk.js'
import { type ClientBundle, foreign, heyApi, redocly } from './generated.js'
import type {
  Anthropic,
  Axios,
  Azure,
  AzureOptions,
  AzureResponse,
  Got,
  Ky,
  OctokitModule,
  OnLimit,
  OpenAi,
  Stripe,
} from './peers.js'
import { installPeer } from '../peer-versions.js'

/**
 * Each client with a key and its own defaults. One that repeats only when told to is told to,
 * twice.
 *
 * @param place the folder with our packed packages
 */
export function createMakers(place: string): Readonly<Record<string, Make>> {
  return {
    farebox: loadFarebox(place),
    'farebox: a client generated for any document': createGenerated(foreign(place)),
    redocly: createGenerated(redocly(place)),
    'hey-api': createGenerated(heyApi(place)),
    openai,
    anthropic,
    'ai sdk': createAiSdk(limitConnecting),
    stripe,
    octokit,
    azure,
    axios,
    got,
    ky,
  }
}

/** A generated client. One without a limit of time gets a signal with it. */
function createGenerated(bundled: Promise<ClientBundle>): Make {
  return async (origin, limits) => {
    const { create } = await bundled
    return create(`${origin}/api/v1`, limitConnecting(limits).fetch ?? fetch, limits.timeoutMs)
  }
}

function loadFarebox(place: string): Make {
  return async (origin, limits) => {
    const file = join(place, 'node_modules/farebox/dist/packed/index.js')
    const { createFarebox: create } = await load<{ readonly createFarebox: typeof createFarebox }>(
      file,
    )
    const { timeoutMs } = limits
    const farebox = create({
      baseUrl: `${origin}/api/v1`,
      apiKey: 'KEY',
      allowInsecureHttp: true,
      ...(timeoutMs && { timeoutMs }),
      ...limitConnecting(limits),
    })
    return {
      get: async (signal) =>
        (await farebox.listModels({}, signal && { signal }).withResponse()).body,
      post: async (signal) =>
        (
          await farebox
            .queueVideo({ model: 'm', prompt: 'p', duration: '5s' }, signal && { signal })
            .withResponse()
        ).body,
    }
  }
}

const openai: Make = async (origin, limits) => {
  const { default: OpenAI } = await load<OpenAi>(join(installPeer('openai'), 'index.mjs'))
  const { timeoutMs: timeout } = limits
  const client = new OpenAI({
    apiKey: 'KEY',
    baseURL: `${origin}/api/v1`,
    ...(timeout && { timeout }),
    ...limitConnecting(limits),
  })
  return {
    get: (signal) => client.get('/models', { signal }),
    post: (signal) => client.post('/video/queue', { body: {}, signal }),
  }
}

const anthropic: Make = async (origin, limits) => {
  const { default: Anthropic } = await load<Anthropic>(
    join(installPeer('@anthropic-ai/sdk'), 'index.mjs'),
  )
  const { timeoutMs: timeout } = limits
  const client = new Anthropic({
    apiKey: 'KEY',
    baseURL: `${origin}/api/v1`,
    ...(timeout && { timeout }),
    ...limitConnecting(limits),
  })
  return {
    get: (signal) => client.get('/models', { signal }),
    post: (signal) => client.post('/video/queue', { body: {}, signal }),
  }
}

const axios: Make = async (origin, { timeoutMs: timeout }) => {
  const { default: library } = await load<Axios>(join(installPeer('axios'), 'dist/node/axios.cjs'))
  const client = library.create({
    baseURL: `${origin}/api/v1`,
    headers: { authorization: 'Bearer KEY' },
    ...(timeout && { timeout }),
  })
  return {
    get: async (signal) => (await client.get('/models', { signal })).data,
    post: async (signal) => (await client.post('/video/queue', {}, { signal })).data,
  }
}

const stripe: Make = async (origin, { timeoutMs: timeout }) => {
  const { default: Stripe } = await load<Stripe>(
    join(installPeer('stripe'), 'esm/stripe.esm.node.js'),
  )
  const { hostname: host, port, protocol } = new URL(origin)
  const options = {
    host,
    port,
    protocol: protocol.slice(0, -1),
    maxNetworkRetries: 2,
    telemetry: false,
    ...(timeout && { timeout }),
  }
  const client = new Stripe('sk_test_KEY', options)
  // it takes no signal
  return {
    get: () => client.rawRequest('GET', '/v1/models'),
    post: () => client.rawRequest('POST', '/v1/video', {}),
  }
}

const octokit: Make = async (origin, limits) => {
  const { Octokit } = await load<OctokitModule>(
    join(installPeer('octokit'), 'dist-bundle/index.js'),
  )
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  // its own default, named here because it goes with the id, which keeps one client's queue apart
  // from another's
  const once: OnLimit = (_after, { request }) => request.retryCount === 0
  const throttle = { id: origin, onRateLimit: once, onSecondaryRateLimit: once }
  const client = new Octokit({
    auth: 'KEY',
    baseUrl: `${origin}/api/v1`,
    log,
    request: limitAttempts(limits),
    retry: { retries: 2 },
    throttle,
  })
  const readData = ({ data }: { readonly data: unknown }): unknown => data
  return {
    get: (signal) => client.request('GET /models', { request: { signal } }).then(readData),
    post: (signal) => client.request('POST /video/queue', { request: { signal } }).then(readData),
  }
}

const azure: Make = async (origin, { timeoutMs: timeout }) => {
  const { getClient, createRestError } = await load<Azure>(
    join(installPeer('@azure-rest/core-client'), 'dist/esm/index.js'),
  )
  const service = {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 2 },
    credentials: { apiKeyHeaderName: 'authorization' },
  }
  const client = getClient(`${origin}/api/v1`, { key: 'Bearer KEY' }, service)
  const options = (abortSignal: AbortSignal | undefined): AzureOptions => ({
    abortSignal,
    ...(timeout && { timeout }),
  })
  // what its generated clients do with a response
  const readData = (response: AzureResponse): unknown => {
    if (response.status !== '200') throw createRestError(response)
    return response.body
  }
  return {
    get: (signal) => client.path('/models').get(options(signal)).then(readData),
    post: (signal) =>
      client
        .path('/video/queue')
        .post({ ...options(signal), body: {} })
        .then(readData),
  }
}

const got: Make = async (origin, { timeoutMs, connectMs }) => {
  const { default: got } = await load<Got>(join(installPeer('got'), 'dist/source/index.js'))
  const timeout = {
    ...(timeoutMs && { request: timeoutMs }),
    ...(connectMs && { connect: connectMs, secureConnect: connectMs }),
  }
  const options = {
    headers: { authorization: 'Bearer KEY' },
    responseType: 'json',
    resolveBodyOnly: true,
    timeout,
  }
  return {
    get: (signal) => got(`${origin}/api/v1/models`, { ...options, signal }),
    post: (signal) => got.post(`${origin}/api/v1/video/queue`, { ...options, json: {}, signal }),
  }
}

const ky: Make = async (origin, limits) => {
  const { default: ky } = await load<Ky>(join(installPeer('ky'), 'distribution/index.js'))
  const { timeoutMs: timeout } = limits
  const options = {
    headers: { authorization: 'Bearer KEY' },
    ...(timeout && { timeout }),
    ...limitConnecting(limits),
  }
  return {
    get: (signal) => ky(`${origin}/api/v1/models`, { ...options, signal }).json(),
    post: (signal) =>
      ky.post(`${origin}/api/v1/video/queue`, { ...options, json: {}, signal }).json(),
  }
}

function load<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(path).href) as Promise<Module>
}

type Fetch = typeof globalThis.fetch
type AgentClass = new (options: { readonly connect: { readonly timeout: number } }) => object

/** A fetch with a limit on connecting; undefined without that limit. */
function limitConnecting({ connectMs }: Limits): { readonly fetch?: Fetch } {
  if (connectMs === undefined) return {}
  // Node exports no undici; the class of its global dispatcher is the way to one
  const dispatcher = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as {
    readonly constructor: AgentClass
  }
  const agent = new dispatcher.constructor({ connect: { timeout: connectMs } })
  return { fetch: (url, init) => fetch(url, { ...init, dispatcher: agent } as RequestInit) }
}

/** The same with a time for each attempt, for a client that has no such option. */
function limitAttempts(limits: Limits): { readonly fetch: Fetch } {
  const { timeoutMs } = limits
  const inner = limitConnecting(limits).fetch ?? fetch
  if (timeoutMs === undefined) return { fetch: inner }
  return {
    fetch: (url, init) => {
      const given = init?.signal
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(given ? [given] : [])])
      return inner(url, { ...init, signal })
    },
  }
}
