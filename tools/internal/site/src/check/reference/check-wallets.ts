import { generateKeyPairSync, sign as signEd25519 } from 'node:crypto'
import type { EvmSigner, TypedData } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import { createExpect, openContext, submit, type Visit, createVisitor } from './visitor.js'

/**
 * Checks browser wallets: an EVM wallet, announced by EIP-6963, tops up and signs in, and a Solana
 * wallet of the wallet standard signs in. Their keys stay outside the page.
 */
export async function checkWallets({
  browser,
  site,
  service: { origin: service },
  faults,
}: Visit): Promise<void> {
  const expect = createExpect(faults, 'reference, browser wallets')
  const evm = privateKeySigner(generatePrivateKey())
  const solana = createSolanaAccount()
  const context = await openContext(browser)
  await context.exposeFunction('askEvmWallet', (method: string, params: readonly string[]) =>
    respond(evm, method, params),
  )
  await context.exposeFunction('askSolanaWallet', solana.sign)
  await context.addInitScript(announce, { key: [...solana.publicKey], address: solana.address })
  const tab = await context.newPage()
  const { press, text } = createVisitor(tab)
  await tab.goto(`${site}api/get-balance/`, { waitUntil: 'load' })
  await tab.fill('farebox-console [name=origin]', service)

  await tab.getByRole('button', { name: 'Connect Scripted EVM' }).click()
  await tab.locator('.fbr-who', { hasText: 'Scripted EVM' }).waitFor()
  expect('the EVM wallet', await text('.fbr-who'), new RegExp(`^Scripted EVM ${evm.address}`))
  expect('its top-up', await press('.fbr-top-up'), /^200 /)
  expect('its balance', await press(submit), /^200 /)
  expect('the response', await text('output pre'), /"balanceUsd": 5\b/)

  await tab.getByRole('button', { name: 'Connect Scripted Solana' }).click()
  await tab.locator('.fbr-who', { hasText: 'Scripted Solana' }).waitFor()
  expect(
    'the Solana wallet',
    await text('.fbr-who'),
    new RegExp(`^Scripted Solana ${solana.address}`),
  )
  expect('its balance', await press(submit), /^200 /)
  expect('the response', await text('output pre'), /"balanceUsd": 0\b/)
  await context.close()
}

function createSolanaAccount() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { d: seed = '' } = privateKey.export({ format: 'jwk' })
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return {
    address: solanaKeySigner(Buffer.from(seed, 'base64url')).address,
    publicKey: Buffer.from(x, 'base64url'),
    sign: (message: readonly number[]) => [
      ...signEd25519(null, Uint8Array.from(message), privateKey),
    ],
  }
}

/** Responds to the EVM provider's requests. */
function respond(signer: EvmSigner, method: string, params: readonly string[]): Promise<unknown> {
  const [first = '', second = ''] = params
  if (method === 'eth_requestAccounts') return Promise.resolve([signer.address])
  if (method === 'personal_sign') return signer.sign(Buffer.from(first.slice(2), 'hex').toString())
  if (method === 'eth_signTypedData_v4')
    return signer.signTypedData(JSON.parse(second) as TypedData)
  return Promise.reject(new Error(`The wallet does not support ${method}.`))
}

type RequestArguments = { readonly method: string; readonly params?: readonly unknown[] }
type WalletBridge = {
  askEvmWallet(method: string, params: readonly unknown[]): Promise<unknown>
  askSolanaWallet(message: readonly number[]): Promise<readonly number[]>
}
type WalletRegistry = { register(wallet: unknown): void }

/** Runs in the page before its own scripts, as the script of a wallet's extension does. */
function announce({
  key,
  address,
}: {
  readonly key: readonly number[]
  readonly address: string
}): void {
  const ask = globalThis as unknown as WalletBridge
  const provider = {
    request: ({ method, params = [] }: RequestArguments) => ask.askEvmWallet(method, params),
  }
  const detail = Object.freeze({
    info: {
      uuid: '350670db-19fa-4704-a166-e52e178b59d2',
      name: 'Scripted EVM',
      icon: 'data:,',
      rdns: 'test',
    },
    provider,
  })
  const tell = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', tell)
  tell()

  const account = {
    address,
    publicKey: Uint8Array.from(key),
    chains: ['solana:mainnet'],
    features: ['solana:signMessage'],
  }
  const signMessage = async ({ message }: { readonly message: Uint8Array }) => [
    { signedMessage: message, signature: Uint8Array.from(await ask.askSolanaWallet([...message])) },
  ]
  const features = {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'solana:signMessage': { version: '1.1.0', signMessage },
  }
  const wallet = {
    version: '1.0.0',
    name: 'Scripted Solana',
    icon: 'data:,',
    chains: account.chains,
    accounts: [account],
    features,
  }
  const register = (app: WalletRegistry) => app.register(wallet)
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
  addEventListener('wallet-standard:app-ready', (event) =>
    register((event as CustomEvent<WalletRegistry>).detail),
  )
}
