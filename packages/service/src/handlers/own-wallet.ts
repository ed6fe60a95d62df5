import { failure } from '../contract/failures.js'
import type { WalletCaller } from '../domain/accounts/caller.js'

/**
 * The account of the caller, if it is the wallet in the path. EVM addresses are the same in any
 * case, those of Solana are not.
 */
export function ownWallet({ account, chain }: WalletCaller, walletAddress: string): string | undefined {
  const isOwn = chain === 'evm' ? account.toLowerCase() === walletAddress.toLowerCase() : account === walletAddress
  return isOwn ? account : undefined
}

export function walletMismatch() {
  return failure(403, 'The wallet that signed in is not the one that was asked for.', 'X402_WALLET_MISMATCH')
}
