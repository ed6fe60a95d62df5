import { join } from 'node:path'
import { sizeOf, type Size } from '../bundled.js'
import { root } from '../root.js'

/** The size of each way to sign in and to pay in a browser. */
export async function authSizes(x402: string): Promise<Readonly<Record<string, Size>>> {
  const here = join(root, 'tools/bench')
  const bundles: Readonly<Record<string, { readonly contents: string; readonly from?: string }>> = {
    'sign in: bearer, wallet, both signers': { contents: `export { bearer, evmSigner, solanaSigner, wallet } from '@farebox/auth'` },
    'sign in with a raw EVM key': {
      contents: `export { wallet } from '@farebox/auth'; export { privateKeySigner } from '@farebox/auth/keys'`,
    },
    'sign in with a raw EVM key: viem': {
      contents: `export { createSiweMessage } from 'viem/siwe'; export { privateKeyToAccount } from 'viem/accounts'`,
    },
    'message: ours': { contents: `export { siweMessage, solanaMessage } from '@farebox/auth'` },
    'message: viem': { contents: `export { createSiweMessage } from 'viem/siwe'` },
    'pay on EVM: ours': { contents: `export { payment } from '@farebox/auth'` },
    'pay on EVM: @x402/fetch, @x402/evm': {
      contents: `export { wrapFetchWithPayment, x402Client } from '@x402/fetch'; export { ExactEvmScheme } from '@x402/evm/exact/client'`,
      from: x402,
    },
    'pay on Solana: ours': {
      contents: `export { payment } from '@farebox/auth'; export { solanaPaymentSigner } from '@farebox/auth/solana'`,
    },
    'pay on Solana: @x402/svm': { contents: `export { ExactSvmScheme } from '@x402/svm/exact/client'` },
  }
  const sizes: Record<string, Size> = {}
  for (const [name, { contents, from = here }] of Object.entries(bundles)) {
    sizes[name] = await sizeOf(contents, from, { platform: 'browser', conditions: ['@farebox/source'] })
  }
  return sizes
}
