import { Wallet } from 'ethers'
import { createWalletClient, custom, type EIP1193RequestFn } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { expect, test } from 'vitest'
import { evmSigner } from './evm-signer.js'
import { privateKeySigner } from '../keys.js'
import type { TypedData } from '../evm/signature.js'
import { findUsdcContract, transferTypedData } from '../evm/usdc.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const account = privateKeyToAccount(key)
const reference = privateKeySigner(key)

const contract = findUsdcContract('base') ?? expect.fail('Base is known')
const data = transferTypedData(contract, {
  from: address,
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: '5000000',
  validAfter: '0',
  validBefore: '1782820800',
  nonce: `0x${'ab'.repeat(32)}`,
})

/** Like ethers' signer of a browser wallet: only `getAddress` has the address. */
class VoidWallet {
  readonly #wallet = new Wallet(key)
  getAddress = () => this.#wallet.getAddress()
  signMessage = (message: string) => this.#wallet.signMessage(message)
  signTypedData = (...data: Parameters<Wallet['signTypedData']>) =>
    this.#wallet.signTypedData(...data)
}

/** A browser wallet: personal_sign with hex, and typed data as JSON. */
function createBrowserWallet() {
  const requests: { method: string; params: readonly unknown[] }[] = []
  const request = async ({
    method,
    params = [],
  }: {
    method: string
    params?: readonly unknown[]
  }): Promise<unknown> => {
    requests.push({ method, params })
    if (method === 'personal_sign')
      return account.signMessage({ message: { raw: params[0] as `0x${string}` } })
    if (method === 'eth_signTypedData_v4')
      return reference.signTypedData(JSON.parse(params[1] as string) as TypedData)
    if (method === 'eth_chainId') return '0x2105'
    throw new Error(`unexpected ${method}`)
  }
  return { asked: requests, provider: { request } }
}

const sources = {
  'a viem account': () => evmSigner(account),
  'a viem wallet client with a local account': () =>
    evmSigner(
      createWalletClient({
        account,
        chain: base,
        transport: custom(createBrowserWallet().provider),
      }),
    ),
  'a viem wallet client of a browser wallet': () =>
    evmSigner(
      createWalletClient({
        account: address,
        chain: base,
        transport: custom({ request: createBrowserWallet().provider.request as EIP1193RequestFn }),
      }),
    ),
  'a viem wallet client without an account': () =>
    evmSigner(
      createWalletClient({ chain: base, transport: custom(createBrowserWallet().provider) }),
      address,
    ),
  'an EIP-1193 provider': () => evmSigner(createBrowserWallet().provider, address.toLowerCase()),
  // it rejects typed data with EIP712Domain
  'an ethers wallet': () => evmSigner(new Wallet(key)),
  'an ethers signer without an address': () => evmSigner(new VoidWallet(), address),
}

for (const [name, make] of Object.entries(sources)) {
  test(`${name} signs in and pays`, async () => {
    const signer = make()
    expect(signer).toMatchObject({ kind: 'evm', address })
    expect(await signer.sign('Grüße, 世界')).toBe(await reference.sign('Grüße, 世界'))
    expect(await signer.signTypedData(data)).toBe(await reference.signTypedData(data))
  })
}

test('a provider receives the hex of the UTF-8 message and the EIP-55 address', async () => {
  const { asked: requests, provider } = createBrowserWallet()
  await evmSigner(provider, address.toLowerCase()).sign('é')
  expect(requests).toEqual([{ method: 'personal_sign', params: ['0xc3a9', address] }])
})

test('a provider receives typed data with EIP712Domain', async () => {
  const { asked: requests, provider } = createBrowserWallet()
  await evmSigner(provider, address).signTypedData(data)
  expect(requests[0]?.params[0]).toBe(address)
  expect(JSON.parse(requests[0]?.params[1] as string)).toMatchObject({
    types: { EIP712Domain: [{ name: 'name' }, {}, {}, {}] },
    primaryType: 'TransferWithAuthorization',
  })
})

test('the v of a signature of some hardware wallets, 00 or 01, becomes 1b or 1c', async () => {
  const signer = evmSigner({ address, signMessage: async () => `0x${'11'.repeat(64)}01` })
  expect(await signer.sign('x')).toBe(`0x${'11'.repeat(64)}1c`)
})

test('a source that cannot sign typed data can sign in, and its error says why it cannot pay', async () => {
  const signer = evmSigner({ address, signMessage: async () => `0x${'11'.repeat(65)}` })
  await expect(signer.signTypedData(data)).rejects.toMatchObject({ code: 'invalid_signer' })
})

test('a wallet that does not return a signature is an error', async () => {
  const signer = evmSigner({ request: async () => ({ signature: 'planted' }) }, address)
  await expect(signer.sign('x')).rejects.toMatchObject({ code: 'signing_failed' })
})

test('rejects a source that cannot sign', () => {
  expect(() => evmSigner(createBrowserWallet().provider)).toThrow(
    'the source has no address; pass one',
  )
  expect(() => evmSigner(createBrowserWallet().provider, '0x123')).toThrow(
    'the address is not a string of 0x and 40 hex digits',
  )
  // what `eth_requestAccounts` returns, in JavaScript
  expect(() => evmSigner(createBrowserWallet().provider, [address] as never)).toThrow(
    'evmSigner: the address is not a string of 0x and 40 hex digits',
  )
  expect(() => evmSigner({ address } as never)).toThrow('expected a viem account or wallet client')
})
