import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pay } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { folderPaymentStore } from '@farebox/auth/node'
import { withMiddleware } from '@farebox/middleware'
import { installPeer, peerVersions, type PeerName } from '../peer-versions.js'

type Fetch = typeof globalThis.fetch

/** Buys 5 USD of credit, and resolves to whether that succeeded. */
export type Buy = (signal?: AbortSignal) => Promise<boolean>

/** What a process of a client starts with. */
export type Process = {
  readonly origin: string
  /** Where processes of one user may keep what they share. */
  readonly folder: string
  readonly fetch: Fetch
}

/** Starts a client, as a new process would. */
export type Start = (process: Process) => Promise<Buy>

const key = process.env['X402_PRIVATE_KEY'] ?? `0x${'11'.repeat(32)}`
const path = '/api/v1/x402/top-up'
const viem = '2.57.1'

export function loadClients(): Readonly<Record<string, Start>> {
  return {
    farebox,
    [`@x402/fetch ${peerVersions['@x402/fetch']}`]: x402Fetch,
    [`@x402/axios ${peerVersions['@x402/axios']}`]: x402Axios,
    [`mppx ${peerVersions.mppx}`]: mppx,
    [`venice-x402-client ${peerVersions['venice-x402-client']}`]: venice,
  }
}

/** Ours, with its defaults, except that it does not pause between two sends. */
export const farebox: Start = async ({ origin, folder, fetch }) => {
  const payment = pay(privateKeySigner(key), {
    origin,
    maxUsdPerPayment: 100,
    maxUsdPerDay: 1000,
    store: folderPaymentStore(folder),
    wait: async () => {},
  })
  const paying = withMiddleware(fetch, payment)
  return async (signal) => {
    const response = await paying(`${origin}${path}`, { method: 'POST', ...(signal && { signal }) })
    await response.arrayBuffer()
    return response.ok
  }
}

const x402Fetch: Start = async ({ origin, fetch }) => {
  const beside = ['@x402/evm@2.27.0', `viem@${viem}`]
  const folder = installModules('@x402/fetch', beside)
  const { x402Client, wrapFetchWithPayment } = await load<X402Fetch>(
    folder,
    '@x402/fetch/dist/esm/index.mjs',
  )
  const client = new x402Client(undefined, { spendControls: { maxAmountPerPayment: '$100' } })
  client.register('eip155:8453', await createExactScheme(folder))
  client.setSpendControls?.({ maxAmountPerPayment: '$100' })
  const paying = wrapFetchWithPayment(fetch, client)
  return async (signal) => {
    const response = await paying(`${origin}${path}`, { method: 'POST', ...(signal && { signal }) })
    await response.arrayBuffer()
    return response.ok
  }
}

const x402Axios: Start = async ({ origin, fetch }) => {
  const beside = ['@x402/evm@2.11.0', 'axios@1.21.1', `viem@${viem}`]
  const folder = installModules('@x402/axios', beside)
  const { wrapAxiosWithPaymentFromConfig } = await load<X402Axios>(
    folder,
    '@x402/axios/dist/esm/index.mjs',
  )
  const { default: axios } = await load<Axios>(folder, 'axios/index.js')
  const api = wrapAxiosWithPaymentFromConfig(axios.create({ adapter: 'fetch', env: { fetch } }), {
    schemes: [{ network: 'eip155:8453', client: await createExactScheme(folder) }],
  })
  return async (signal) => {
    const { status } = await api.post(`${origin}${path}`, undefined, signal ? { signal } : {})
    return status < 300
  }
}

const mppx: Start = async ({ origin, fetch }) => {
  const folder = installModules('mppx', [`viem@${viem}`])
  const { Fetch, evm } = await load<Mppx>(folder, 'mppx/dist/client/index.js')
  const paying = Fetch.from({
    fetch,
    methods: [evm.charge({ account: await createAccount(folder) })],
  })
  return async (signal) => {
    const response = await paying(`${origin}${path}`, { method: 'POST', ...(signal && { signal }) })
    await response.arrayBuffer()
    return response.ok
  }
}

/** It calls the global fetch, and has no signal. */
const venice: Start = async ({ origin, fetch }) => {
  const folder = installModules('venice-x402-client', [`viem@${viem}`])
  const { VeniceClient } = await load<Venice>(folder, 'venice-x402-client/dist/index.mjs')
  const client = new VeniceClient(key, { apiUrl: origin })
  return async (signal) => {
    const before = globalThis.fetch
    globalThis.fetch = (input, init) => fetch(input, { ...init, ...(signal && { signal }) })
    try {
      await client.topUp(5)
      return true
    } finally {
      globalThis.fetch = before
    }
  }
}

function installModules(name: PeerName, beside: readonly string[]): string {
  const folder = installPeer(name, beside, { viem })
  return folder.slice(0, folder.length - name.length)
}

async function createExactScheme(folder: string): Promise<object> {
  const { ExactEvmScheme } = await load<ExactEvm>(folder, '@x402/evm/dist/esm/index.mjs')
  return new ExactEvmScheme(await createAccount(folder))
}

async function createAccount(folder: string): Promise<object> {
  const { privateKeyToAccount } = await load<Accounts>(folder, 'viem/_esm/accounts/index.js')
  return privateKeyToAccount(key)
}

async function load<Module>(folder: string, file: string): Promise<Module> {
  return (await import(pathToFileURL(join(folder, file)).href)) as Module
}

type Registry = { readonly register: (network: string, scheme: object) => unknown }
type X402Fetch = {
  readonly x402Client: new (...options: unknown[]) => Registry & {
    readonly setSpendControls?: (controls: object) => void
  }
  readonly wrapFetchWithPayment: (fetch: Fetch, client: Registry) => Fetch
}
type ExactEvm = { readonly ExactEvmScheme: new (signer: object) => object }
type Accounts = { readonly privateKeyToAccount: (key: string) => object }
type Api = {
  readonly post: (
    url: string,
    body: undefined,
    options: { readonly signal?: AbortSignal },
  ) => Promise<{ readonly status: number }>
}
type Axios = { readonly default: { readonly create: (options: object) => object } }
type X402Axios = {
  readonly wrapAxiosWithPaymentFromConfig: (api: object, config: object) => Api
}
type Mppx = {
  readonly Fetch: { readonly from: (options: object) => Fetch }
  readonly evm: { readonly charge: (options: object) => object }
}
type Venice = {
  readonly VeniceClient: new (
    key: string,
    options: { readonly apiUrl: string },
  ) => { readonly topUp: (usd: number) => Promise<void> }
}
