import { privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import { Wallet } from 'ethers'
import { privateKeyToAccount } from 'viem/accounts'

const key = `0x${'42'.repeat(32)}` as const
export const seed = new Uint8Array(32).fill(7)
export const service = { domain: 'api.example', uri: 'https://api.example' }
export const statement = 'Sign in to Farebox API'
export const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
} as const
export const signer = privateKeySigner(key)
export const solana = solanaKeySigner(seed)
export const account = privateKeyToAccount(key)
export const ethers = new Wallet(key)

/** The typed data of the payment that `offer` asks for. */
export const typed = {
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
export function fields() {
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
export function siweFields() {
  const { issuedAt, expirationTime, ...rest } = fields()
  return { ...rest, issuedAt: issuedAt.toISOString(), expirationTime: expirationTime.toISOString() }
}

/** The value of a header that holds JSON. */
export function header(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
