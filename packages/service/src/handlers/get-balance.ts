import { prices } from '@farebox/types/operations'
import { toUsd } from '../domain/ledger/money.js'
import type { Handler } from '../contract/handler.js'
import { ownWallet, walletMismatch } from './own-wallet.js'

/** The credit of a wallet: 0 for one that never paid. */
export const getBalance: Handler<'getBalance'> = async ({ input, caller, services }) => {
  const walletAddress = ownWallet(caller, input.walletAddress)
  if (walletAddress === undefined) return walletMismatch()
  const balance = await services.ledger.balance(walletAddress)
  const { minimumTopUpUsd, suggestedTopUpUsd } = prices
  return {
    status: 200,
    json: {
      success: true,
      data: {
        walletAddress,
        balanceUsd: toUsd(balance),
        canConsume: balance > 0n,
        minimumTopUpUsd,
        suggestedTopUpUsd,
      },
    },
  }
}
