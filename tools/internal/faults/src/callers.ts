import { randomBytes } from 'node:crypto'
import { createSiwxHeader, encodeJsonHeader } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { publicOrigin, payee } from './service-process.js'
import { privateKeyToAccount } from 'viem/accounts'

/** The sender of requests. */
export type Caller = {
  /** The name of the account in the ledger. */
  readonly account: string
  readonly headers: () => Promise<Readonly<Record<string, string>>>
}

export type WalletCaller = Caller & {
  readonly address: string
  /** A header that pays `usd`, with a nonce of its own. */
  readonly pay: (usd: number) => Promise<string>
}

/** The account of the administrator, to which all API keys belong. */
const keyAccount = 'key:admin'

export function createWallet(): WalletCaller {
  const privateKey = generatePrivateKey() as `0x${string}`
  const signer = privateKeySigner(privateKey)
  const from = createAddressHeader()
  return {
    account: signer.address,
    address: signer.address,
    headers: async () => ({
      ...from,
      'sign-in-with-x': await createSiwxHeader(signer, {
        domain: new URL(publicOrigin).host,
        uri: publicOrigin,
        statement: 'Sign in to Farebox API',
      }),
    }),
    pay: (usd) => signPaymentHeader(privateKey, usd),
  }
}

export function createKeyCaller(secret: string): Caller {
  const from = createAddressHeader()
  return {
    account: keyAccount,
    headers: async () => ({ ...from, authorization: `Bearer ${secret}` }),
  }
}

/** Each caller comes through the proxy from elsewhere: limits of an address are not the subject. */
function createAddressHeader(): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` }
}

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** A payment of x402 version 2 on Base, valid for five minutes and signed by viem. */
async function signPaymentHeader(privateKey: `0x${string}`, usd: number): Promise<string> {
  const account = privateKeyToAccount(privateKey)
  const authorization = {
    from: account.address,
    to: payee,
    value: String(Math.round(usd * 1e6)),
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + 300),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  } as const
  const field = (name: string, type: string) => ({ name, type })
  const signature = await account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc },
    types: {
      TransferWithAuthorization: [
        field('from', 'address'),
        field('to', 'address'),
        field('value', 'uint256'),
        field('validAfter', 'uint256'),
        field('validBefore', 'uint256'),
        field('nonce', 'bytes32'),
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  const accepted = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: authorization.value,
    asset: usdc,
    payTo: payee,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  }
  return encodeJsonHeader({ x402Version: 2, accepted, payload: { signature, authorization } })
}
