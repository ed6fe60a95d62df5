import { join } from 'node:path'
import { measureSize, type Size } from '../bundled.js'
import { root } from '../root.js'

/** The size of each way to sign in and to pay in a browser. */
export async function authSizes(x402: string): Promise<Readonly<Record<string, Size>>> {
  const here = join(root, 'tools/internal/bench')
  const bundles: Readonly<Record<string, { readonly contents: string; readonly from?: string }>> = {
    'Farebox: bearer, wallet, both signers': {
      contents: `export { bearer, evmSigner, solanaSigner, wallet } from '@farebox/auth'`,
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
