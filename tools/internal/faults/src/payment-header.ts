import { randomBytes } from 'node:crypto'
import { encodeJsonHeader } from '@farebox/auth'
import { privateKeyToAccount } from 'viem/accounts'
import { payee } from './service-process.js'

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** A payment of x402 version 2 on Base, valid for five minutes and signed by viem. */
export async function paymentHeader(privateKey: `0x${string}`, usd: number): Promise<string> {
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
