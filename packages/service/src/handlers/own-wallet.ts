import type { Caller } from '../domain/accounts/authenticate.js'
import { refusal } from '../http/http-error.js'

/** The account of the wallet that signed in, if it is the one in the path; else 403. EVM addresses are the same in any case, Solana's are not. */
export function ownWallet(caller: Caller, walletAddress: string): string {
  if (caller.kind === 'wallet') {
    const { account, chain } = caller
    if (chain === 'evm' ? account.toLowerCase() === walletAddress.toLowerCase() : account === walletAddress) return account
  }
  throw refusal(403, 'The wallet that signed in is not the one that was asked for.', 'X402_WALLET_MISMATCH')
}
