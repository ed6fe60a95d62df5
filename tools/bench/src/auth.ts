// signing and verifying sign-ins and payments, and what they cost a browser, beside viem, siwe, ethers and the clients of x402
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { cache, installed } from './lib/installed.mjs'

const rounds = Number(process.argv[2] ?? 60)
const x402 = installed('@x402/evm', '2.27.0', ['@x402/fetch@2.27.0', 'viem@2.57.1'])
const auth = fileURLToPath(new URL('../../packages/auth/', import.meta.url))

/**
 * One file of everything that a few lines import, from the packages that @farebox/auth is tested with or from those of x402.
 * @param {string} contents
 * @param {string} resolveDir
 * @param {import('esbuild').BuildOptions} [options]
 */
async function bundled(contents, resolveDir, options = {}) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, loader: 'js' },
    bundle: true,
    write: false,
    conditions: ['@farebox/source'],
    logLevel: 'error',
    ...options,
  })
  return outputFiles[0]?.text ?? ''
}

/**
 * What the lines export, run from the cache.
 * @param {string} name
 * @param {string} contents
 * @param {string} resolveDir
 */
async function loaded(name, contents, resolveDir) {
  const file = join(cache, `${name}.cjs`)
  writeFileSync(file, await bundled(contents, resolveDir, { platform: 'node', format: 'cjs' }))
  return createRequire(import.meta.url)(file)
}

const own = await loaded(
  'auth-own',
  `export * from '@farebox/auth'; export * from '@farebox/auth/keys'; export * from '@farebox/auth/verify'; export { solanaPaymentSigner } from '@farebox/auth/solana'`,
  fileURLToPath(new URL('../../', import.meta.url)),
)
const others = await loaded(
  'auth-others',
  `export { verifyMessage, verifyTypedData } from 'viem'; export { privateKeyToAccount } from 'viem/accounts'
   export { createSiweMessage, parseSiweMessage } from 'viem/siwe'; export { SiweMessage } from 'siwe'; export { Wallet } from 'ethers'
   export { createKeyPairSignerFromPrivateKeyBytes, createSignableMessage } from '@solana/kit'`,
  auth,
)
const { ExactEvmScheme } = await loaded('auth-x402', `export { ExactEvmScheme } from '@x402/evm/exact/client'`, x402)

const key = `0x${'42'.repeat(32)}`
const seed = new Uint8Array(32).fill(7)
const service = { domain: 'api.example', uri: 'https://api.example' }
const statement = 'Sign in to Farebox API'
const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}
const signer = own.privateKeySigner(key)
const solana = own.solanaKeySigner(seed)
const account = others.privateKeyToAccount(key)
const ethers = new others.Wallet(key)
const kit = await others.createKeyPairSignerFromPrivateKeyBytes(seed)
const payer = new ExactEvmScheme(account)

const fields = () => ({
  ...service,
  statement,
  address: account.address,
  version: /** @type {const} */ ('1'),
  chainId: 8453,
  nonce: '0123456789abcdef',
  issuedAt: new Date(),
  expirationTime: new Date(Date.now() + 600_000),
})
const siweFields = () => {
  const { issuedAt, expirationTime, ...rest } = fields()
  return { ...rest, issuedAt: issuedAt.toISOString(), expirationTime: expirationTime.toISOString() }
}
const header = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64')
const signed = await own.createSiwxHeader(signer, { ...service, statement })
const solanaSigned = await own.createSiwxHeader(solana, { ...service, statement })
const { message, signature } = JSON.parse(atob(signed))
const paid = await own.payment(signer, { origin: service.uri, maxUsdPerPayment: Infinity, maxUsdPerDay: Infinity })

/** One payment through the middleware, with its discovery, and no network. */
const payOnce = async () => {
  let sent = ''
  const send = paid(async ({ headers }) => {
    sent = headers.get('payment-signature') ?? ''
    return sent === ''
      ? new Response(null, { status: 402, headers: { 'payment-required': header({ x402Version: 2, accepts: [offer] }) } })
      : new Response()
  })
  await send({ url: `${service.uri}/x402/top-up`, method: 'POST', headers: new Headers() })
  return sent
}
const payload = own.decodePaymentHeader(await payOnce())
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
}

/** @type {Record<string, Record<string, () => Promise<unknown>>>} What is called ours goes first; each does the same work as far as its package can. */
const contests = {
  'sign in, EVM': {
    ours: () => own.createSiwxHeader(signer, { ...service, statement }),
    viem: async () => {
      const text = others.createSiweMessage(fields())
      return header({ message: text, signature: await account.signMessage({ message: text }) })
    },
    'siwe and ethers': async () => {
      const text = new others.SiweMessage(siweFields()).prepareMessage()
      return header({ message: text, signature: await ethers.signMessage(text) })
    },
  },
  'verify a sign-in, EVM': {
    ours: () => own.verifySiwxHeader(signed, service),
    viem: async () =>
      others.parseSiweMessage(message).domain === service.domain && others.verifyMessage({ address: account.address, message, signature }),
    'siwe and ethers': () => new others.SiweMessage(message).verify({ signature, domain: service.domain }),
  },
  'sign in, Solana': {
    ours: () => own.createSiwxHeader(solana, { ...service, statement }),
    '@solana/kit (native)': () =>
      kit.signMessages([others.createSignableMessage(own.solanaMessage({ ...siweFields(), address: solana.address }))]),
  },
  'verify a sign-in, Solana': { ours: () => own.verifySiwxHeader(solanaSigned, service) },
  'sign a payment, EVM': {
    ours: payOnce,
    '@x402/evm': () => payer.createPaymentPayload(2, offer),
  },
  'verify a payment, EVM': {
    ours: () => own.verifyPaymentAuthorization(payload, offer),
    'viem, the signature alone': () =>
      others.verifyTypedData({
        ...typed,
        address: account.address,
        message: payload.payload.authorization,
        signature: payload.payload.signature,
      }),
  },
}

/** @type {Record<string, Record<string, string>>} */
const table = {}
for (const [name, contest] of Object.entries(contests)) {
  const times = await measured(contest)
  for (const [who, time] of Object.entries(times)) {
    table[`${name}: ${who}`] = { 'per second': (1000 / time).toFixed(0), 'our rate / its rate': (time / (times['ours'] ?? NaN)).toFixed(2) }
  }
}
console.log(`Median of ${rounds} rounds that take turns, in one run on Node ${process.versions.node}. Above 1: ours is faster.`)
console.table(table)

const root = fileURLToPath(new URL('../../tests', import.meta.url))
const bundles = {
  'sign in: bearer, wallet, both signers': [`export { bearer, evmSigner, solanaSigner, wallet } from '@farebox/auth'`, root],
  'sign in with a raw EVM key': [`export { wallet } from '@farebox/auth'; export { privateKeySigner } from '@farebox/auth/keys'`, root],
  'sign in with a raw EVM key: viem': [
    `export { createSiweMessage } from 'viem/siwe'; export { privateKeyToAccount } from 'viem/accounts'`,
    auth,
  ],
  'message: ours': [`export { siweMessage, solanaMessage } from '@farebox/auth'`, root],
  'message: viem': [`export { createSiweMessage } from 'viem/siwe'`, auth],
  'pay on EVM: ours': [`export { payment } from '@farebox/auth'`, root],
  'pay on EVM: @x402/fetch, @x402/evm': [
    `export { wrapFetchWithPayment, x402Client } from '@x402/fetch'; export { ExactEvmScheme } from '@x402/evm/exact/client'`,
    x402,
  ],
  'pay on Solana: ours': [`export { payment } from '@farebox/auth'; export { solanaPaymentSigner } from '@farebox/auth/solana'`, root],
  'pay on Solana: @x402/svm': [`export { ExactSvmScheme } from '@x402/svm/exact/client'`, auth],
}
/** @type {Record<string, Record<string, number>>} */
const sizes = {}
for (const [name, [contents = '', resolveDir = '']] of Object.entries(bundles)) {
  const text = await bundled(contents, resolveDir, { platform: 'browser', format: 'esm', minify: true, target: 'es2022' })
  sizes[name] = { minified: Buffer.byteLength(text), compressed: gzipSync(text, { level: 9 }).length }
}
console.log('Bytes in a browser, minified and compressed.')
console.table(sizes)

/**
 * The median time of each, once a round and another one first each time.
 * @param {Record<string, () => Promise<unknown>>} contest
 */
async function measured(contest) {
  const names = Object.keys(contest)
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(names.map((name) => [name, []]))
  const warmUp = Math.ceil(rounds / 4)
  for (let round = -warmUp; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + warmUp) % names.length] ?? ''
      const start = performance.now()
      const outcome = await contest[name]?.()
      if (outcome === false || outcome === '') throw new Error(`${name} did not do its work`)
      if (round >= 0) times[name]?.push(performance.now() - start)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name] ?? [])]))
}

/** @param {readonly number[]} values */
function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN
}
