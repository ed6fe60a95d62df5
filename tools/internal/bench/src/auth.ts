import type { Arguments } from '@farebox/command-line'
import { parseRounds, takeTurns, showTable, root, type Parties } from './measure.js'
import { installPeer } from './peer-versions.js'
import { join } from 'node:path'
import { bundleModule, measureSize, type Size } from './bundled.js'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cache } from '@farebox/testing/install-package'
import { createPaymentRequired, topUpOffer as offer } from '@farebox/testing/top-up-offer'
import * as credentials from '@farebox/auth'
import * as verify from '@farebox/auth/verify'
import { createKeyPairSignerFromPrivateKeyBytes, createSignableMessage } from '@solana/kit'
import { SiweMessage } from 'siwe'
import { verifyMessage, verifyTypedData } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import * as keys from '@farebox/auth/keys'
import { Wallet } from 'ethers'

/** A rate is that of a busy server, whose code and data the processor has at hand. */
const calls = 20

export async function benchmarkAuth(args: Arguments): Promise<void> {
  const rounds = parseRounds(args.operands, 60)
  const x402 = installPeer('@x402/evm', ['@x402/fetch@2.27.0', 'viem@2.57.1'])
  const rates: Record<string, object> = {}
  for (const [name, contest] of Object.entries(await createContests(x402))) {
    const times = await takeTurns(contest, { rounds, calls })
    for (const [who, time] of Object.entries(times)) {
      rates[`${titles[who] ?? who}: ${name}`] = {
        'per second': Math.round(1000 / time),
        'our rate / its rate': Number((time / (times['ours'] ?? NaN)).toFixed(2)),
      }
    }
  }
  console.log(
    `Median of ${rounds} rounds that take turns of ${calls} calls, in one run on Node ${process.versions.node}. Above 1: ours is faster.`,
  )
  showTable(rates, args.has('save') && 'auth')
  console.log('Bytes in a browser, minified and compressed.')
  showTable(await measureSizes(x402), args.has('save') && 'auth-sizes')
}

/** The size of each way to sign in and to pay in a browser. */
async function measureSizes(x402: string): Promise<Readonly<Record<string, Size>>> {
  const here = join(root, 'tools/internal/bench')
  const bundles: Readonly<Record<string, { readonly contents: string; readonly from?: string }>> = {
    'Farebox: bearer, wallet, both signers': {
      contents: `export { bearer, evmSigner, signIn, solanaSigner } from '@farebox/auth'`,
    },
    'Farebox: sign in with a raw EVM key': {
      contents: `export { signIn } from '@farebox/auth'; export { privateKeySigner } from '@farebox/auth/keys'`,
    },
    'viem: sign in with a raw EVM key': {
      contents: `export { createSiweMessage } from 'viem/siwe'; export { privateKeyToAccount } from 'viem/accounts'`,
    },
    'Farebox: the message of a sign-in': {
      contents: `export { siweMessage, solanaMessage } from '@farebox/auth'`,
    },
    'viem: the message of a sign-in': { contents: `export { createSiweMessage } from 'viem/siwe'` },
    'Farebox: pay on EVM': { contents: `export { pay } from '@farebox/auth'` },
    '@x402/fetch, @x402/evm: pay on EVM': {
      contents: `export { wrapFetchWithPayment, x402Client } from '@x402/fetch'; export { ExactEvmScheme } from '@x402/evm/exact/client'`,
      from: x402,
    },
    'Farebox: pay on Solana': {
      contents: `export { pay } from '@farebox/auth'; export { solanaPaymentSigner } from '@farebox/auth/solana'`,
    },
    '@x402/svm: pay on Solana': {
      contents: `export { ExactSvmScheme } from '@x402/svm/exact/client'`,
    },
  }
  const sizes: Record<string, Size> = {}
  for (const [name, { contents, from = here }] of Object.entries(bundles)) {
    sizes[name] = await measureSize(contents, from, {
      platform: 'browser',
      conditions: ['@farebox/source'],
    })
  }
  return sizes
}

const titles: Readonly<Record<string, string>> = {
  ours: 'Farebox',
  javascript: 'Farebox without secp256k1',
}

/** What signs and verifies, of our packages. */
type Ours = Pick<typeof credentials, 'createSiwxHeader' | 'memoryPaymentStore' | 'pay'> &
  Pick<typeof verify, 'verifyPaymentAuthorization' | 'verifySiwxHeader'> &
  Pick<typeof keys, 'privateKeySigner'>

/** The same as a browser gets it: no part of it is native. */
async function loadForBrowsers(): Promise<Ours> {
  const contents = `export { createSiwxHeader, memoryPaymentStore, pay } from '@farebox/auth'
export { verifyPaymentAuthorization, verifySiwxHeader } from '@farebox/auth/verify'
export { privateKeySigner } from '@farebox/auth/keys'`
  const file = join(cache, 'auth-in-browsers.mjs')
  const bytes = await bundleModule(contents, join(root, 'tools/internal/bench'), {
    platform: 'browser',
    conditions: ['@farebox/source'],
  })
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, bytes)
  return (await import(pathToFileURL(file).href)) as Ours
}

type X402 = {
  readonly ExactEvmScheme: new (account: PrivateKeyAccount) => {
    readonly createPaymentPayload: (version: number, offer: unknown) => Promise<unknown>
  }
}
type Hex = `0x${string}`
type Contest = Parties<string>
/** Of the payload that our own middleware signs. */
type Authorization = Readonly<
  Record<'from' | 'to' | 'nonce', Hex> & Record<'value' | 'validAfter' | 'validBefore', string>
>

/**
 * The contests by name. The entry `ours` of each is this repository's, and every other entry does
 * the same work as far as its package can.
 *
 * @param x402 the folder of @x402/evm
 */
async function createContests(x402: string): Promise<Readonly<Record<string, Contest>>> {
  const ours = { ...credentials, ...verify, ...keys }
  const javascript = await loadForBrowsers()
  return {
    ...(await createEvmSignIns(ours, javascript)),
    ...(await createSolanaSignIns()),
    ...(await createPayments(x402, ours, javascript)),
  }
}

async function createEvmSignIns(
  ours: Ours,
  javascript: Ours,
): Promise<Readonly<Record<string, Contest>>> {
  const signIn = (by: Ours) => {
    const signer = by.privateKeySigner(key)
    return () => by.createSiwxHeader(signer, { ...service, statement })
  }
  const signed = await signIn(ours)()
  const { message, signature } = JSON.parse(atob(signed)) as {
    readonly message: string
    readonly signature: Hex
  }
  return {
    'sign in, EVM': {
      ours: signIn(ours),
      javascript: signIn(javascript),
      viem: async () => {
        const text = createSiweMessage(createFields())
        return encodeHeader({
          message: text,
          signature: await account.signMessage({ message: text }),
        })
      },
      'siwe and ethers': async () => {
        const text = new SiweMessage(createSiweFields()).prepareMessage()
        return encodeHeader({ message: text, signature: await ethers.signMessage(text) })
      },
    },
    'verify a sign-in, EVM': {
      ours: () => ours.verifySiwxHeader(signed, service),
      javascript: () => javascript.verifySiwxHeader(signed, service),
      viem: async () =>
        parseSiweMessage(message).domain === service.domain &&
        verifyMessage({ address: account.address, message, signature }),
      'siwe and ethers': () =>
        new SiweMessage(message).verify({ signature, domain: service.domain }),
    },
  }
}

async function createSolanaSignIns(): Promise<Readonly<Record<string, Contest>>> {
  const kit = await createKeyPairSignerFromPrivateKeyBytes(seed)
  const signed = await credentials.createSiwxHeader(solana, { ...service, statement })
  return {
    'sign in, Solana': {
      ours: () => credentials.createSiwxHeader(solana, { ...service, statement }),
      '@solana/kit (native)': () =>
        kit.signMessages([
          createSignableMessage(
            credentials.solanaMessage({ ...createSiweFields(), address: solana.address }),
          ),
        ]),
    },
    'verify a sign-in, Solana': { ours: () => verify.verifySiwxHeader(signed, service) },
  }
}

async function createPayments(
  x402: string,
  ours: Ours,
  javascript: Ours,
): Promise<Readonly<Record<string, Contest>>> {
  const file = createRequire(join(x402, 'package.json')).resolve('@x402/evm/exact/client')
  const { ExactEvmScheme } = (await import(pathToFileURL(file).href)) as X402
  const payer = new ExactEvmScheme(account)

  const payBy = (by: Ours) => {
    const signer = by.privateKeySigner(key)
    return () => payOnce(by, signer)
  }
  const payload = verify.decodePaymentHeader(await payBy(ours)())
  const { authorization, signature } = payload.payload as {
    readonly authorization: Authorization
    readonly signature: Hex
  }
  const message = {
    ...authorization,
    value: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
  }
  return {
    'sign a payment, EVM': {
      ours: payBy(ours),
      javascript: payBy(javascript),
      '@x402/evm': () => payer.createPaymentPayload(2, offer),
    },
    'verify a payment, EVM': {
      ours: () => ours.verifyPaymentAuthorization(payload, offer),
      javascript: () => javascript.verifyPaymentAuthorization(payload, offer),
      'viem, the signature alone': () =>
        verifyTypedData({ ...typed, address: account.address, message, signature }),
    },
  }
}

/** One payment through the middleware with its discovery, without a network. */
async function payOnce(
  { memoryPaymentStore, pay }: Ours,
  signer: credentials.EvmSigner,
): Promise<string> {
  let sent = ''
  const paid = pay(signer, {
    origin: service.uri,
    maxUsdPerPayment: Infinity,
    maxUsdPerDay: Infinity,
    store: memoryPaymentStore(),
  })
  const send = paid(async ({ headers }) => {
    sent = headers.get('payment-signature') ?? ''
    return sent === ''
      ? new Response(null, { status: 402, headers: createPaymentRequired() })
      : new Response()
  })
  await send({ url: `${service.uri}/x402/top-up`, method: 'POST', headers: new Headers() })
  return sent
}

const key = `0x${'42'.repeat(32)}` as const
const seed = new Uint8Array(32).fill(7)
const service = { domain: 'api.example', uri: 'https://api.example' }
const statement = 'Sign in to Farebox API'
const solana = keys.solanaKeySigner(seed)
const account = privateKeyToAccount(key)
const ethers = new Wallet(key)

/** The typed data of the payment that `offer` asks for. */
const typed = {
  domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: offer.asset },
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
} as const

/** The fields of a sign-in message, with dates as viem takes them. */
function createFields() {
  return {
    ...service,
    statement,
    address: account.address,
    version: '1' as const,
    chainId: 8453,
    nonce: '0123456789abcdef',
    issuedAt: new Date(),
    expirationTime: new Date(Date.now() + 600_000),
  }
}

/** The same with dates as texts. */
function createSiweFields() {
  const { issuedAt, expirationTime, ...rest } = createFields()
  return { ...rest, issuedAt: issuedAt.toISOString(), expirationTime: expirationTime.toISOString() }
}

/** The value of a header that holds JSON. */
function encodeHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
