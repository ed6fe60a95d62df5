import { randomBytes } from 'node:crypto'
import { createSiwxHeader, encodeJsonHeader, type SiwxHeaderOptions } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { operations, type OperationId } from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import type * as z from 'zod'
import { createService, type Service, type ServiceOptions } from '../src/app/create-service.js'
import { createLedger, type Ledger } from '../src/domain/ledger/ledger.js'
import { readDocument } from '../src/domain/text/parse-worker.js'
import type { TextParser } from '../src/domain/text/text-parser.js'
import type { Database } from '../src/platform/database/database.js'
import { readChunks } from './chat-script.js'
import { openEmptyDatabase } from './empty-database.js'
import { createAddress } from './other-address.js'

export const origin = 'http://127.0.0.1:4020'
export const adminKey = 'test-admin-key'
export const payee = '0x1111111111111111111111111111111111111111'

/** Parses in this thread, so that no worker has to be built. */
export const inlineParser: TextParser = { parse: readDocument, close: async () => undefined }

export type Harness = {
  readonly service: Service
  readonly database: Database
  readonly ledger: Ledger
  readonly clock: { time: number }
  readonly crashes: unknown[]
  /** What upstreams did. */
  readonly troubles: string[]
  /** Sends a request and holds the response against the contract. */
  readonly call: (
    id: OperationId | undefined,
    path: string,
    init?: RequestInit & { readonly from?: string },
  ) => Promise<TestResponse>
  readonly signIn: (
    wallet: TestWallet,
    options?: Partial<SiwxHeaderOptions>,
  ) => Promise<Readonly<Record<string, string>>>
  readonly pay: (wallet: TestWallet, changes?: PaymentChanges) => Promise<string>
  /** The text of `/metrics`, as the administrator reads it. */
  readonly metrics: () => Promise<string>
  /** A wallet with credit. */
  readonly richWallet: (usd?: number) => Promise<TestWallet>
}

export type TestResponse = {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly text: string
  readonly json: Record<string, unknown>
}

export type TestWallet = ReturnType<typeof createWallet>

export function createWallet() {
  const key = generatePrivateKey() as `0x${string}`
  return { ...privateKeySigner(key), account: privateKeyToAccount(key) }
}

/** `databaseTime`: the service has the time of its database, and `clock` does not count. */
export type HarnessOptions = Partial<ServiceOptions> & { readonly databaseTime?: boolean }

export async function startService({
  databaseTime = false,
  ...options
}: HarnessOptions = {}): Promise<Harness> {
  const clock = { time: Date.parse('2026-01-02T03:04:05.000Z') }
  const now = () => clock.time
  const crashes: unknown[] = []
  const troubles: string[] = []
  const database = options.database ?? (await openEmptyDatabase())
  const service = await createService({
    origin,
    adminKey,
    payTo: payee,
    // of tests that name upstreams which only a double answers
    ...(!options.facilitator &&
      options.wallets !== false &&
      !options.payments && { unsettledPayments: true }),
    textParser: inlineParser,
    database,
    ...(!databaseTime && { now }),
    onError: (error) => crashes.push(error),
    onTrouble: ({ message }, { upstream }) => troubles.push(`${upstream}: ${message}`),
    ...options,
  })
  const ledger = createLedger(database, { now, id: () => randomBytes(8).toString('hex') })

  const call: Harness['call'] = async (id, path, { from = '192.0.2.1', ...init } = {}) => {
    const request = new Request(`${origin}/api/v1${path}`, {
      duplex: 'half',
      ...init,
    } as RequestInit)
    // as clients do over a connection
    if (typeof init.body === 'string')
      request.headers.set('content-length', String(Buffer.byteLength(init.body)))
    const response = await service.fetch(request, { remoteAddress: from })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const json =
      response.headers.get('content-type') === 'application/json'
        ? (JSON.parse(text) as Record<string, unknown>)
        : {}
    checkResponse(id, response, json, text)
    return { status: response.status, headers: response.headers, bytes, text, json }
  }
  const signIn: Harness['signIn'] = async (wallet, changes) => ({
    'sign-in-with-x': await createSiwxHeader(wallet, {
      domain: '127.0.0.1:4020',
      uri: origin,
      statement: 'Sign in to Farebox API',
      now,
      ...changes,
    }),
  })
  const pay: Harness['pay'] = (wallet, changes) => signPaymentHeader(wallet, clock.time, changes)

  return {
    service,
    database,
    ledger,
    clock,
    crashes,
    troubles,
    call,
    signIn,
    pay,
    metrics: async () => {
      const request = new Request(`${origin}/metrics`, {
        headers: { authorization: `Bearer ${adminKey}` },
      })
      // a test may ask again until something has happened, and its clock does not move
      const response = await service.fetch(request, { remoteAddress: createAddress() })
      expect(response.status).toBe(200)
      return response.text()
    },
    richWallet: async (usd = 5) => {
      const wallet = createWallet()
      const id = randomBytes(16).toString('hex')
      const payment = {
        id,
        network: 'test',
        asset: 'test',
        payer: wallet.address,
        nonce: id,
        settledBy: 'test',
        transaction: '',
      }
      await ledger.creditPayment({ ...payment, amount: BigInt(Math.round(usd * 1e6)) })
      return wallet
    },
  }
}

export type PaymentChanges = {
  readonly usd?: number
  readonly nonce?: `0x${string}`
  readonly to?: string
  readonly validAfter?: number
  readonly validBefore?: number
  readonly domain?: Readonly<Record<string, unknown>>
  readonly accepted?: Readonly<Record<string, unknown>>
  readonly shape?: 'v2' | 'v1' | 'hybrid'
  /** Who signs, where it is not the payer. */
  readonly signer?: TestWallet
}

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** A payment as a client makes it, signed by viem and put together by hand. */
export async function signPaymentHeader(
  wallet: TestWallet,
  now: number,
  changes: PaymentChanges = {},
): Promise<string> {
  const { usd = 5, to = payee, shape = 'v2', signer = wallet } = changes
  const value = String(Math.round(usd * 1e6))
  const authorization = {
    from: wallet.account.address,
    to: to as `0x${string}`,
    value,
    validAfter: String(changes.validAfter ?? 0),
    validBefore: String(changes.validBefore ?? Math.floor(now / 1000) + 300),
    nonce: changes.nonce ?? (`0x${randomBytes(32).toString('hex')}` as const),
  }
  const signature = await signer.account.signTypedData({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: 8453,
      verifyingContract: usdc,
      ...changes.domain,
    },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  })
  const payload = { signature, authorization }
  if (shape === 'v1')
    return encodeJsonHeader({ x402Version: 1, scheme: 'exact', network: 'base', payload })
  if (shape === 'hybrid')
    return encodeJsonHeader({ x402Version: 2, scheme: 'exact', network: 'base', payload })
  const accepted = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: value,
    asset: usdc,
    payTo: to,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
    ...changes.accepted,
  }
  return encodeJsonHeader({ x402Version: 2, accepted, payload })
}

export function decodeHeader(headers: Headers, name: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(headers.get(name) ?? '', 'base64').toString('utf8')) as Record<
    string,
    unknown
  >
}

const headerRules = {
  'x-ratelimit-limit-requests': /^\d+$/,
  'x-ratelimit-remaining-requests': /^\d+$/,
  'x-ratelimit-reset-requests': /^\d+$/,
  'x-ratelimit-limit-tokens': /^\d+$/,
  'x-ratelimit-remaining-tokens': /^\d+$/,
  'x-ratelimit-reset-tokens': /^\d+$/,
  'x-request-id': /^req_/,
  'access-control-allow-origin': /^\*$/,
  'cache-control': /^no-store$/,
}

/** What the schema of a media type describes: one body, or each event of a stream. */
function readBodies(mediaType: string, json: unknown, text: string): readonly unknown[] {
  if (mediaType === 'application/json') return [json]
  return mediaType === 'text/event-stream' ? readChunks(text).map((data) => ({ data })) : [text]
}

/** The rules of every response, for any request. */
function checkResponse(
  id: OperationId | undefined,
  response: Response,
  json: unknown,
  text: string,
): void {
  const { status, headers } = response
  // one expectation for all headers, as each costs as much as a small request
  const wrong = Object.entries(headerRules).filter(
    ([name, rule]) => !rule.test(headers.get(name) ?? ''),
  )
  expect(wrong.map(([name]) => `${name}: ${headers.get(name)}`)).toEqual([])
  if (status >= 400) expect(text).not.toMatch(/\bat \S+ \(|\.[jt]s:\d+|node_modules/)

  if (status === 204) return
  const mediaType = headers.get('content-type')?.split(';')[0] ?? ''
  const declared =
    id === undefined
      ? undefined
      : (operations[id].responses as Record<string, { contentTypes: readonly string[] }>)[status]
  if (declared === undefined) {
    expect(
      id === undefined ? [404, 405, 429] : [405],
      `undeclared status of ${id ?? 'no operation'}`,
    ).toContain(status)
    expect(json).toMatchObject({ error: expect.any(String) as string })
    return
  }
  expect(declared.contentTypes).toContain(mediaType)
  const responses = validators[id as OperationId].responses as Record<
    string,
    Record<string, z.ZodType>
  >
  const schema = responses[status]?.[mediaType]
  const issues = readBodies(mediaType, json, text).flatMap(
    (body) => schema?.safeParse(body).error?.issues ?? [],
  )
  expect(issues, `body of ${status} against the contract`).toEqual([])
}
