import { clientCredentials } from './client-credentials.js'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import type { Call, Send } from '@farebox/middleware'
import { base58, base64 } from '@scure/base'
import { topUpOffer } from '@farebox/testing/top-up-offer'
import { expect, test } from 'vitest'
import type { AuthErrorCode, PaymentErrorCode } from './errors.js'
import { bearer } from './api-key.js'
import { createSiwxHeader } from './sign-in/create-siwx-header.js'
import { decodeJsonHeader, encodeJsonHeader } from './encoding.js'
import { evmSigner } from './signers/evm-signer.js'
import { memoryPaymentStore } from './payment/payment-store.js'
import { pay, type PayOptions } from './payment/pay.js'
import { privateKeySigner, solanaKeySigner } from './keys.js'
import { solanaPaymentSigner } from './solana/solana-payment-signer.js'
import { verifyPaymentAuthorization, verifySiwxHeader, type SiwxErrorCode } from './verify.js'
import { signIn } from './sign-in/sign-in.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const seed = Uint8Array.from({ length: 32 }, (_, at) => (at * 37 + 11) % 251)
const apiKey = 'planted-api-key-0123456789abcdefghij'
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/**
 * The secrets that must stay hidden, in every encoding that a program could print. Signatures and
 * headers are added when they are created.
 */
const planted = new Set([
  key.slice(2),
  apiKey,
  toHex(seed),
  base58.encode(seed),
  base64.encode(seed),
  [...seed].join(', '),
  [...seed].join(','),
])

const origin = 'https://api.example'
const service = { domain: 'api.example', uri: origin }
const call: Call = { url: `${origin}/api/v1/x402/top-up`, method: 'POST', headers: new Headers() }
const solanaOffer = {
  ...topUpOffer,
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: solanaKeySigner(new Uint8Array(32).fill(2)).address,
  extra: { feePayer: solanaKeySigner(new Uint8Array(32).fill(1)).address },
}

const local = privateKeySigner(key)
/** The local key, whose signatures are recorded. */
const signer = {
  ...local,
  sign: async (message: string) => record(await local.sign(message)),
  signTypedData: async (data: Parameters<typeof local.signTypedData>[0]) =>
    record(await local.signTypedData(data)),
}
function record(signature: string): string {
  planted.add(signature.slice(2)).add(base64.encode(Buffer.from(signature.slice(2), 'hex')))
  return signature
}

/**
 * A service and its network, which record every credential that they receive. Then they fail as
 * requested, as loudly as possible.
 */
const sees =
  (then: (call: Call, paid: boolean) => Response): Send =>
  async (sent) => {
    for (const [name, value] of sent.headers) if (name !== 'content-type') planted.add(value)
    return then(sent, sent.headers.has('payment-signature'))
  }

/**
 * Foreign wallets, key stores and fetches may put their inputs and secrets into the errors that
 * they throw.
 */
const createLeakyError = (...secrets: readonly string[]) =>
  Object.assign(
    new Error(`could not use ${[key, ...seed].join(', ')} and ${secrets.join(' ')}`, {
      cause: { message: key, code: key },
    }),
    {
      code: 4001,
      key,
      config: { headers: secrets },
    },
  )

const createChallenge = (accepts: readonly object[] = [topUpOffer]) =>
  new Response(null, {
    status: 402,
    headers: { 'payment-required': encodeJsonHeader({ x402Version: 2, accepts }) },
  })
const payWith = (
  response: (sent: Call, paid: boolean) => Response,
  options: Partial<PayOptions> = {},
  paid: Call = call,
) =>
  pay(signer, {
    origin,
    maxUsdPerPayment: 10,
    maxUsdPerDay: 10,
    wait: async () => {},
    store: memoryPaymentStore(),
    ...options,
  })(sees(response))(paid)
const challengeFirst = (then: (sent: Call) => Response) => (sent: Call, paid: boolean) =>
  paid ? then(sent) : createChallenge()

/** From an authorization server that repeats what it receives. */
const requestToken = (reply: (secrets: readonly string[]) => Promise<Response>) =>
  clientCredentials({
    origin,
    tokenUrl: 'https://auth.example/token',
    clientId: 'tram',
    clientSecret: apiKey,
    fetch: async (_, init) => {
      const secrets = [new Headers(init?.headers).get('authorization')?.slice(6) ?? '', apiKey]
      for (const secret of secrets) planted.add(secret)
      return reply(secrets)
    },
  }).token()

// a code without a case does not compile
const client: Record<AuthErrorCode | PaymentErrorCode, () => unknown> = {
  invalid_key: () => privateKeySigner(`${key}0`),
  key_unavailable: () =>
    bearer(() => Promise.reject(createLeakyError(apiKey)))(sees(() => new Response()))(call),
  token_unavailable: () => requestToken((secrets) => Promise.reject(createLeakyError(...secrets))),
  invalid_signer: () => evmSigner({ key, address: local.address } as never),
  insecure_origin: () =>
    bearer(apiKey)(sees(() => new Response()))({ ...call, url: 'http://api.example/' }),
  invalid_origin: () => signIn(signer, { origin: `data:${key}` }),
  signing_failed: () =>
    createSiwxHeader(
      {
        ...signer,
        sign: async (text) => Promise.reject(createLeakyError(await signer.sign(text))),
      },
      { ...service, statement: 'x' },
    ),
  redirect_refused: () =>
    signIn(signer, { origin })(
      sees(
        () =>
          new Response(null, { status: 302, headers: { location: `https://evil.example/${key}` } }),
      ),
    )(call),
  clock_mismatch: () =>
    signIn(signer, { origin })(
      sees(
        () =>
          new Response(key, { status: 401, headers: { date: 'Thu, 31 Dec 2099 00:00:00 GMT' } }),
      ),
    )(call),
  malformed_offer: () => payWith(() => new Response(key, { status: 402 })),
  no_acceptable_offer: () => payWith(() => createChallenge([{ ...topUpOffer, network: key }])),
  domain_mismatch: () =>
    payWith(() => createChallenge([{ ...topUpOffer, extra: { name: key, version: '2' } }])),
  amount_below_offer: () => payWith(() => createChallenge(), { amountUsd: 1 }),
  earlier_payment_open: async () => {
    const store = memoryPaymentStore()
    const reject = challengeFirst(() =>
      Response.json({ error: 'invalid_payload' }, { status: 402 }),
    )
    await payWith(reject, { store }).catch(() => undefined)
    return payWith(reject, { store, amountUsd: 6 })
  },
  over_payment_cap: () => payWith(() => createChallenge(), { amountUsd: 11 }),
  over_daily_cap: () => payWith(() => createChallenge(), { maxUsdPerDay: 1 }),
  journal_unavailable: () =>
    payWith(() => createChallenge(), {
      store: { update: async () => Promise.reject(createLeakyError()) },
    }),
  body_not_resendable: () =>
    payWith(() => createChallenge(), {}, { ...call, body: new ReadableStream() }),
  blockhash_unavailable: () =>
    pay(
      solanaPaymentSigner(seed, {
        latestBlockhash: async () => Promise.reject(createLeakyError()),
      }),
      {
        origin,
        maxUsdPerPayment: 5,
        maxUsdPerDay: 5,
        store: memoryPaymentStore(),
      },
    )(sees(() => createChallenge([solanaOffer])))(call),
  payment_refused: () =>
    payWith(challengeFirst(() => Response.json({ error: 'invalid_payload' }, { status: 402 }))),
  outcome_unknown: () =>
    payWith(
      challengeFirst(({ headers }) => {
        throw createLeakyError(...headers.values())
      }),
    ),
}

const more: readonly (() => unknown)[] = [
  () =>
    requestToken(async (secrets) =>
      Response.json({ error: secrets.join(), error_description: apiKey }, { status: 400 }),
    ),
  () => requestToken(async () => Response.json({ access_token: 'a', token_type: apiKey })),
  () =>
    payWith(
      challengeFirst(({ headers }) =>
        Response.json({ error: [...headers.values()].join() }, { status: 402 }),
      ),
    ),
  () => bearer(`${apiKey}\n`)(sees(() => new Response()))(call),
  () => solanaKeySigner(Uint8Array.from([...seed, ...seed])),
  () => solanaPaymentSigner({ secret: seed } as never),
  () =>
    evmSigner({ address: local.address, signMessage: async () => `${key} is no signature` }).sign(
      'x',
    ),
  () =>
    pay(
      { ...signer, signTypedData: async () => Promise.reject(createLeakyError()) },
      { origin, maxUsdPerPayment: 5, maxUsdPerDay: 5, store: memoryPaymentStore() },
    )(sees(() => createChallenge()))(call),
]

const now = Date.UTC(2026, 5, 30, 12)
const verifyAltered = async (change: object, options: object = {}) => {
  const header = await createSiwxHeader(signer, {
    ...service,
    statement: 'Sign in to Farebox API',
    now: () => now,
  })
  planted.add(header)
  return verifySiwxHeader(encodeJsonHeader({ ...decodeJsonHeader(header), ...change }), {
    ...service,
    now: () => now,
    ...options,
  })
}
const server: Record<SiwxErrorCode, () => unknown> = {
  invalid_payload: () => verifyAltered({ admin: key }),
  invalid_message: () => verifyAltered({ message: `${key} wants you to sign in` }),
  address_mismatch: () => verifyAltered({ address: `0x${'1'.repeat(40)}` }),
  chain_mismatch: () => verifyAltered({ type: 'ed25519' }),
  unsupported_chain: () => verifyAltered({ chainId: key }),
  domain_mismatch: () => verifyAltered({}, { domain: 'other.example' }),
  uri_mismatch: () => verifyAltered({}, { uri: 'https://other.example' }),
  timestamp_mismatch: () => verifyAltered({ timestamp: 1 }),
  expired: () => verifyAltered({}, { now: () => now + 700_000 }),
  not_yet_valid: () => verifyAltered({}, { now: () => now - 700_000 }),
  invalid_signature: async () => verifyAltered({ signature: await signer.sign('something else') }),
  verifier_failed: async () => {
    const signature = await signer.sign('something else')
    return verifyAltered(
      { signature },
      { verifyContract: async () => Promise.reject(createLeakyError(signature)) },
    )
  },
}

/**
 * Everything that inspection can find, including hidden and inherited properties and causes.
 */
function inspectAll(error: unknown): string {
  const parts: string[] = []
  for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 6; depth++) {
    const properties = Object.getOwnPropertyNames(at).map(
      (name) => `${name}: ${inspect((at as Record<string, unknown>)[name], { depth: 9 })}`,
    )
    parts.push(inspect(at, { depth: 20, showHidden: true, maxStringLength: null }), ...properties)
    parts.push(
      JSON.stringify(at),
      format('%s %o %j', at, at, at),
      serialize(structuredClone(at)).toString('latin1'),
    )
    parts.push(JSON.stringify({ ...at }))
    at = (at as { cause?: unknown }).cause
  }
  return parts.join('\n')
}

const catchError = async (attempt: () => unknown): Promise<unknown> => {
  try {
    await attempt()
  } catch (error) {
    return error
  }
  return expect.fail('it did not fail')
}

const cases = [
  ...Object.entries({ ...client, ...server }),
  ...more.map((attempt): [string, () => unknown] => ['', attempt]),
  [
    '',
    async () =>
      verifyPaymentAuthorization(
        {
          x402Version: 2,
          accepted: topUpOffer,
          payload: { signature: key, authorization: { from: key } },
        },
        topUpOffer,
      ),
  ] as const,
]

test('no error reveals a key, a signature or the value of a header, however it is inspected', async () => {
  for (const [code, attempt] of cases) {
    const error = await catchError(attempt)
    if (code !== '') expect(error).toMatchObject({ code })
    const text = inspectAll(error)
    expect([code, [...planted].filter((secret) => text.includes(secret))]).toEqual([code, []])
    expect(text).not.toContain(key.slice(2, 34))
  }
  // keys, signatures and headers were recorded
  expect(planted.size).toBeGreaterThan(30)
})

test('the error of foreign code keeps its name, code and message, with an address in it', async () => {
  const rejected = Object.assign(new Error(`User ${local.address} rejected the request`), {
    name: 'UserRejectedRequestError',
    code: 4001,
  })
  const error = await catchError(() =>
    createSiwxHeader(
      { ...signer, sign: async () => Promise.reject(rejected) },
      { ...service, statement: 'x' },
    ),
  )
  expect(error).toMatchObject({
    cause: {
      name: 'UserRejectedRequestError',
      code: 4001,
      message: `User ${local.address} rejected the request`,
    },
  })
})

test('the codes of a service stay readable in the reason', async () => {
  const code = 'invalid_exact_evm_payload_authorization_value_mismatch'
  const rejection = () =>
    Response.json({ error: `${code} of ${local.address}, ${key}` }, { status: 402 })
  const error = await catchError(() => payWith(challengeFirst(rejection)))
  expect(error).toMatchObject({ reason: `${code} of ${local.address}, [hidden]` })
})

test('any value may be thrown', async () => {
  const proxy = new Proxy({}, { get: () => expect.fail('looked at') })
  const loop = new Error('x')
  loop.cause = loop
  for (const thrown of [
    undefined,
    null,
    'no',
    5,
    {},
    Symbol('x'),
    Object.create(null),
    proxy,
    loop,
    { code: -32_603, message: 'Internal' },
  ]) {
    const attempt = () =>
      createSiwxHeader(
        { ...signer, sign: () => Promise.reject(thrown as Error) },
        { ...service, statement: 'x' },
      )
    expect(await catchError(attempt)).toMatchObject({ name: 'AuthError', code: 'signing_failed' })
  }
})

test('the payload of a payment is available on request', async () => {
  const error = await catchError(client.outcome_unknown)
  expect(decodeJsonHeader((error as { payload: string }).payload)).toMatchObject({
    x402Version: 2,
    accepted: topUpOffer,
  })
})
