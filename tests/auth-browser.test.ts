import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import type { TypedData } from '@farebox/auth'
import {
  decodePaymentHeader,
  encodeJsonHeader,
  verifyPaymentAuthorization,
  verifySiwxHeader,
  type PaymentRequirements,
} from '@farebox/auth/verify'
import { base58 } from '@scure/base'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from './launch-chromium.js'

/** What the page runs: the client side as an application would bundle it. Wallets come to it as they come to any page. */
const application = `
  import { evmSigner, payment, solanaSigner, wallet } from '@farebox/auth'
  import { withMiddleware } from '@farebox/middleware'

  const standardWallets = []
  const register = (...wallets) => (standardWallets.push(...wallets), () => {})
  addEventListener('wallet-standard:register-wallet', (event) => event.detail({ register }))
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }))

  const injected = async () => {
    const [address] = await window.ethereum.request({ method: 'eth_requestAccounts' })
    return evmSigner(window.ethereum, address)
  }
  const read = async (response) => [response.status, await response.json()]
  window.application = {
    ethereum: async () => read(await withMiddleware(fetch, wallet(await injected(), { origin: location.origin }))('/api/v1/balance')),
    solana: async () => {
      const signer = solanaSigner(standardWallets.find((wallet) => 'solana:signMessage' in wallet.features))
      return read(await withMiddleware(fetch, wallet(signer, { origin: location.origin }))('/api/v1/balance'))
    },
    redirected: async () =>
      withMiddleware(fetch, wallet(await injected(), { origin: location.origin }))('/api/v1/away').then(read, ({ name, code }) => [name, code]),
    elsewhere: async () => {
      const other = location.origin.replace('127.0.0.1', 'localhost')
      return read(await withMiddleware(fetch, wallet(await injected(), { origin: location.origin }))(other + '/api/v1/echo'))
    },
    topUp: async () => {
      const pay = payment(await injected(), { origin: location.origin, maxUsdPerPayment: 5, maxUsdPerDay: 5 })
      return read(await withMiddleware(fetch, pay)('/api/v1/x402/top-up', { method: 'POST' }))
    },
  }`

/** What the browser's extensions put into the page. Their keys stay outside of it. */
const extensions = ({ solanaAddress, publicKey }: { solanaAddress: string; publicKey: number[] }) => {
  const page = window as unknown as Record<string, (...parameters: unknown[]) => Promise<never>>
  Object.assign(window, { ethereum: { request: (asked: unknown) => page['askEthereum']?.(asked) } })
  const account = {
    address: solanaAddress,
    publicKey: Uint8Array.from(publicKey),
    chains: ['solana:mainnet'],
    features: ['solana:signMessage'],
  }
  const signMessage = async ({ account: given, message }: { account: object; message: Uint8Array }) => {
    if (given !== account) throw new Error('another account')
    const signature: number[] = (await page['askSolana']?.([...message])) ?? []
    return [{ signedMessage: message, signature: Uint8Array.from(signature) }]
  }
  const wallet = {
    version: '1.0.0',
    name: 'Test wallet',
    chains: ['solana:mainnet'],
    accounts: [account],
    features: { 'solana:signMessage': { version: '1.1.0', signMessage } },
  }
  const announce = ({ register }: { register: (wallet: object) => void }) => register(wallet)
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }))
  addEventListener('wallet-standard:app-ready', (event) => announce((event as CustomEvent<Parameters<typeof announce>[0]>).detail))
}

const ethereum = privateKeySigner(`0x${'42'.repeat(32)}`)
const solana = solanaKeySigner(new Uint8Array(32).fill(7))

const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}

let server: Server
let browser: Browser
let page: Page
const asked: string[] = []
const echoes: IncomingHttpHeaders[] = []

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: application, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'js' },
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
      if (request.url === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html><meta charset="utf-8">')
      if (request.url === '/application.js') return response.setHeader('content-type', 'text/javascript').end(script)
      if (request.url === '/api/v1/away') return response.writeHead(307, { location: '/api/v1/echo' }).end()
      if (request.url === '/api/v1/echo') {
        echoes.push(request.headers)
        return response.setHeader('access-control-allow-origin', '*').end('"nothing"')
      }
      if (request.url === '/api/v1/balance') {
        const found = await verifySiwxHeader(header('sign-in-with-x'), { domain: new URL(origin).host, uri: origin })
        return response.end(JSON.stringify({ address: found.address, chain: found.chain }))
      }
      if (header('payment-signature') === '') {
        return response.writeHead(402, { 'payment-required': encodeJsonHeader({ x402Version: 2, accepts: [offer] }) }).end()
      }
      const { payer, amount } = await verifyPaymentAuthorization(decodePaymentHeader(header('payment-signature')), offer)
      return response.end(JSON.stringify({ payer, amount: String(amount) }))
    }
    answer().catch((error: unknown) => response.writeHead(401).end(JSON.stringify({ error: String(error) })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  browser = await launchChromium()
  page = await browser.newPage()
  await page.exposeFunction('askEthereum', ({ method, params = [] }: { method: string; params?: string[] }) => askEthereum(method, params))
  await page.exposeFunction('askSolana', async (message: number[]) => [
    ...base58.decode(await solana.sign(Buffer.from(message).toString('utf8'))),
  ])
  await page.addInitScript(extensions, { solanaAddress: solana.address, publicKey: [...base58.decode(solana.address)] })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.addScriptTag({ url: '/application.js' })
}, 60_000)

afterAll(async () => {
  await browser.close()
  server.close()
})

/** As MetaMask answers: lower-case addresses, hex of UTF-8 bytes, typed data as JSON. */
async function askEthereum(method: string, params: readonly string[]): Promise<unknown> {
  asked.push(method)
  const [first = '', second = ''] = params
  if (method === 'eth_requestAccounts') return [ethereum.address.toLowerCase()]
  if (method === 'personal_sign') return ethereum.sign(Buffer.from(first.slice(2), 'hex').toString('utf8'))
  if (method === 'eth_signTypedData_v4') return ethereum.signTypedData(JSON.parse(second) as TypedData)
  throw new Error(`The wallet does not know ${method}`)
}

const run = (what: 'ethereum' | 'solana' | 'redirected' | 'elsewhere' | 'topUp') =>
  page.evaluate((name) => (window as unknown as { application: Record<string, () => Promise<unknown>> }).application[name]?.(), what)

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
  expect(await run('topUp')).toEqual([200, { payer: ethereum.address, amount: '5000000' }])
  expect(asked.at(-1)).toBe('eth_signTypedData_v4')
})
