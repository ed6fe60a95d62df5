import { createPrivateKey, sign } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import type { TypedData } from '@farebox/auth'
import {
  decodePaymentHeader,
  encodeJsonHeader,
  verifyPaymentAuthorization,
  verifySiwxHeader,
  type PaymentRequirements,
  type VerifiedPayment,
} from '@farebox/auth/verify'
import { base58 } from '@scure/base'
import { build } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '@farebox/testing/launch-chromium'

/**
 * What the page runs: the client side as an application would bundle it. Wallets come to it as they
 * come to any page.
 */
const application = `
  import { evmSigner, pay, signIn, solanaSigner } from '@farebox/auth'
  import { privateKeySigner } from '@farebox/auth/keys'
  import { solanaPaymentSigner } from '@farebox/auth/solana'
  import { withMiddleware } from '@farebox/middleware'

  const standardWallets = []
  const register = (...wallets) => (standardWallets.push(...wallets), () => {})
  addEventListener('wallet-standard:register-wallet', (event) => event.detail({ register }))
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }))

  const injected = async () => {
    const [address] = await window.ethereum.request({ method: 'eth_requestAccounts' })
    return evmSigner(window.ethereum, address)
  }
  const topUp = async (signer, path) => {
    const payment = pay(signer, { origin: location.origin, maxUsdPerPayment: 5, maxUsdPerDay: 5 })
    return read(await withMiddleware(fetch, payment)(path, { method: 'POST' }))
  }
  const read = async (response) => [response.status, await response.json()]
  window.application = {
    ethereum: async () => read(await withMiddleware(fetch, signIn(await injected(), { origin: location.origin }))('/api/v1/balance')),
    solana: async () => {
      const signer = solanaSigner(standardWallets.find((wallet) => 'solana:signMessage' in wallet.features))
      return read(await withMiddleware(fetch, signIn(signer, { origin: location.origin }))('/api/v1/balance'))
    },
    redirected: async () =>
      withMiddleware(fetch, signIn(await injected(), { origin: location.origin }))('/api/v1/away').then(read, ({ name, code }) => [name, code]),
    elsewhere: async () => {
      const other = location.origin.replace('127.0.0.1', 'localhost')
      return read(await withMiddleware(fetch, signIn(await injected(), { origin: location.origin }))(other + '/api/v1/echo'))
    },
    ethereumTopUp: async () => topUp(await injected(), '/api/v1/x402/top-up'),
    localTopUp: async (key, path) =>
      topUp(privateKeySigner(key), path).then(([status]) => status, ({ code }) => code),
    solanaTopUp: async () => {
      const source = standardWallets.find((wallet) => 'solana:signTransaction' in wallet.features)
      return topUp(solanaPaymentSigner(source), '/api/v1/x402/top-up?on=solana')
    },
  }`

/** What the browser's extensions put into the page. Their keys stay outside of it. */
const extensions = ({
  solanaAddress,
  publicKey,
}: {
  solanaAddress: string
  publicKey: number[]
}) => {
  const page = window as unknown as Record<string, (...parameters: unknown[]) => Promise<never>>
  Object.assign(window, { ethereum: { request: (asked: unknown) => page['askEthereum']?.(asked) } })
  const account = {
    address: solanaAddress,
    publicKey: Uint8Array.from(publicKey),
    chains: ['solana:mainnet'],
    features: ['solana:signMessage', 'solana:signTransaction'],
  }
  const signMessage = async ({
    account: given,
    message,
  }: {
    account: object
    message: Uint8Array
  }) => {
    if (given !== account) throw new Error('another account')
    const signature: number[] = (await page['askSolana']?.([...message])) ?? []
    return [{ signedMessage: message, signature: Uint8Array.from(signature) }]
  }
  const signTransaction = async ({
    account: given,
    chain,
    transaction,
  }: {
    account: object
    chain: string
    transaction: Uint8Array
  }) => {
    if (given !== account || chain !== 'solana:mainnet')
      throw new Error('another account, or another chain')
    const signed: number[] = (await page['askSolanaToPay']?.([...transaction])) ?? []
    return [{ signedTransaction: Uint8Array.from(signed) }]
  }
  const wallet = {
    version: '1.0.0',
    name: 'Test wallet',
    chains: ['solana:mainnet'],
    accounts: [account],
    features: {
      'solana:signMessage': { version: '1.1.0', signMessage },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: [0],
        signTransaction,
      },
    },
  }
  const announce = ({ register }: { register: (wallet: object) => void }) => register(wallet)
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }))
  addEventListener('wallet-standard:app-ready', (event) =>
    announce((event as CustomEvent<Parameters<typeof announce>[0]>).detail),
  )
}

const ethereum = privateKeySigner(`0x${'42'.repeat(32)}`)
const solanaSeed = new Uint8Array(32).fill(7)
const solana = solanaKeySigner(solanaSeed)

const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}

/** With a block hash in it, so that the page has no node of the chain to ask. */
const solanaOffer: PaymentRequirements = {
  scheme: 'exact',
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  amount: '5000000',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: solanaKeySigner(new Uint8Array(32).fill(8)).address,
  maxTimeoutSeconds: 300,
  extra: {
    feePayer: solanaKeySigner(new Uint8Array(32).fill(9)).address,
    recentBlockhash: base58.encode(new Uint8Array(32).fill(3)),
    memo: 'top-up 1',
  },
}

let server: Server
let browser: Browser
let page: Page
const asked: string[] = []
const echoes: IncomingHttpHeaders[] = []
const solanaPayments: VerifiedPayment[] = []
const payments: string[] = []

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: application,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'js',
    },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    conditions: ['@farebox/source'],
  })
  const script = outputFiles[0]?.text ?? ''
  server = createServer((request, response) => {
    const origin = `http://${new URL(`http://${request.headers.host}`).host}`
    const header = (name: string) => String(request.headers[name] ?? '')
    const answer = async () => {
      if (request.url === '/')
        return response
          .setHeader('content-type', 'text/html')
          .end('<!doctype html><meta charset="utf-8">')
      if (request.url === '/application.js')
        return response.setHeader('content-type', 'text/javascript').end(script)
      if (request.url === '/api/v1/away')
        return response.writeHead(307, { location: '/api/v1/echo' }).end()
      if (request.url === '/api/v1/echo') {
        echoes.push(request.headers)
        return response.setHeader('access-control-allow-origin', '*').end('"nothing"')
      }
      if (request.url === '/api/v1/balance') {
        const found = await verifySiwxHeader(header('sign-in-with-x'), {
          domain: new URL(origin).host,
          uri: origin,
        })
        return response.end(JSON.stringify({ address: found.address, chain: found.chain }))
      }
      const asking = request.url?.endsWith('?on=solana') ? solanaOffer : offer
      if (header('payment-signature') === '') {
        return response
          .writeHead(402, {
            'payment-required': encodeJsonHeader({ x402Version: 2, accepts: [asking] }),
          })
          .end()
      }
      payments.push(header('payment-signature'))
      // a pause that is too long to wait for
      if (request.url?.endsWith('?lost'))
        return response.writeHead(504, { 'retry-after': '60' }).end()
      const verified = await verifyPaymentAuthorization(
        decodePaymentHeader(header('payment-signature')),
        asking,
      )
      if (verified.kind === 'solana') solanaPayments.push(verified)
      return response.end(
        JSON.stringify({ payer: verified.payer, amount: String(verified.amount) }),
      )
    }
    answer().catch((error: unknown) =>
      response.writeHead(401).end(JSON.stringify({ error: String(error) })),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  browser = await launchChromium()
  page = await browser.newPage()
  await page.exposeFunction(
    'askEthereum',
    ({ method, params = [] }: { method: string; params?: string[] }) => askEthereum(method, params),
  )
  await page.exposeFunction('askSolana', async (message: number[]) => [
    ...base58.decode(await solana.sign(Buffer.from(message).toString('utf8'))),
  ])
  await page.exposeFunction('askSolanaToPay', (transaction: number[]) => [
    ...signSolanaTransaction(Uint8Array.from(transaction)),
  ])
  await page.addInitScript(extensions, {
    solanaAddress: solana.address,
    publicKey: [...base58.decode(solana.address)],
  })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.addScriptTag({ url: '/application.js' })
})

afterAll(async () => {
  await browser.close()
  server.close()
})

/** As MetaMask answers: lower-case addresses, hex of UTF-8 bytes, typed data as JSON. */
async function askEthereum(method: string, params: readonly string[]): Promise<unknown> {
  asked.push(method)
  const [first = '', second = ''] = params
  if (method === 'eth_requestAccounts') return [ethereum.address.toLowerCase()]
  if (method === 'personal_sign')
    return ethereum.sign(Buffer.from(first.slice(2), 'hex').toString('utf8'))
  if (method === 'eth_signTypedData_v4')
    return ethereum.signTypedData(JSON.parse(second) as TypedData)
  throw new Error(`The wallet does not know ${method}`)
}

/**
 * As Phantom answers: the transaction with the wallet's own signature, the second of two, and the
 * fee payer's still to come.
 */
function signSolanaTransaction(transaction: Uint8Array): Uint8Array {
  const message = transaction.slice(1 + 2 * 64)
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), solanaSeed])
  const signature = sign(
    null,
    message,
    createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
  )
  return Uint8Array.from([...transaction.slice(0, 1 + 64), ...signature, ...message])
}

const run = (
  what: 'ethereum' | 'solana' | 'redirected' | 'elsewhere' | 'ethereumTopUp' | 'solanaTopUp',
) =>
  page.evaluate(
    (name) =>
      (window as unknown as { application: Record<string, () => Promise<unknown>> }).application[
        name
      ]?.(),
    what,
  )

it('an injected EIP-1193 wallet signs in from a page', async () => {
  expect(await run('ethereum')).toEqual([200, { address: ethereum.address, chain: 'evm' }])
  expect(asked).toEqual(['eth_requestAccounts', 'personal_sign'])
})

it('a wallet of the wallet standard signs in from a page', async () => {
  expect(await run('solana')).toEqual([200, { address: solana.address, chain: 'solana' }])
})

it('a page does not follow a redirect with a signature', async () => {
  expect(await run('redirected')).toEqual(['AuthError', 'redirect_refused'])
  expect(echoes).toEqual([])
})

it('a page sends no signature to another origin', async () => {
  expect(await run('elsewhere')).toEqual([200, 'nothing'])
  expect(echoes.map((headers) => headers['sign-in-with-x'])).toEqual([undefined])
})

it('an injected EIP-1193 wallet pays from a page', async () => {
  expect(await run('ethereumTopUp')).toEqual([200, { payer: ethereum.address, amount: '5000000' }])
  expect(asked.at(-1)).toBe('eth_signTypedData_v4')
})

it('a wallet of the wallet standard pays from a page, and the service finds the transfer in its transaction', async () => {
  expect(await run('solanaTopUp')).toEqual([200, { payer: solana.address, amount: '5000000' }])
  expect(solanaPayments).toMatchObject([
    {
      kind: 'solana',
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      payTo: solanaOffer.payTo,
      feePayer: solanaOffer.extra?.['feePayer'],
      recentBlockhash: solanaOffer.extra?.['recentBlockhash'],
    },
  ])
})

describe('two tabs of one origin', () => {
  const origin = () => new URL(page.url()).origin
  const localTopUp = (tab: Page, key: string, path: string): Promise<unknown> =>
    tab.evaluate(
      (given) =>
        (
          window as unknown as {
            application: { localTopUp: (key: string, path: string) => Promise<unknown> }
          }
        ).application.localTopUp(...given),
      [key, path] as const,
    )
  let context: BrowserContext
  const open = async (): Promise<Page> => {
    const tab = await context.newPage()
    await tab.goto(origin())
    await tab.addScriptTag({ url: '/application.js' })
    return tab
  }
  beforeAll(async () => void (context = await browser.newContext()))
  afterAll(async () => context.close())

  it('share the daily cap, even when they pay at the same time, and so does a tab that is opened later', async () => {
    payments.length = 0
    const tabs = await Promise.all([open(), open()])
    const key = generatePrivateKey()
    const outcomes = await Promise.all(
      tabs.map((tab) => localTopUp(tab, key, '/api/v1/x402/top-up')),
    )
    // both send one payment, or one comes after the other
    expect([200, 'over_daily_cap']).toEqual(expect.arrayContaining(outcomes))
    expect(new Set(payments).size).toBe(1)
    for (const tab of tabs) await tab.close()
    expect(await localTopUp(await open(), key, '/api/v1/x402/top-up')).toBe('over_daily_cap')
    expect(new Set(payments).size).toBe(1)
  })

  it('resend the payment of a tab that was closed before the response', async () => {
    payments.length = 0
    const key = generatePrivateKey()
    const first = await open()
    expect(await localTopUp(first, key, '/api/v1/x402/top-up?lost')).toBe('outcome_unknown')
    await first.close()
    expect(await localTopUp(await open(), key, '/api/v1/x402/top-up')).toBe(200)
    expect([payments.length, new Set(payments).size]).toEqual([2, 1])
  })
})
