import { rails } from '@farebox/auth/verify'
import { failure } from '../contract/failures.js'
import type { WalletCaller } from '../domain/accounts/caller.js'

/** The account of the caller, if it is the wallet in the path. */
export function ownWallet(
  { account, chain }: WalletCaller,
  walletAddress: string,
): string | undefined {
  return rails[chain].isSame(account, walletAddress) ? account : undefined
}

export function walletMismatch() {
  return failure(
    403,
    'The wallet that signed in is not the one that was asked for.',
    'X402_WALLET_MISMATCH',
  )
}
