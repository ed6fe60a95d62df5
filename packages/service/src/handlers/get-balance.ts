import { prices } from '@farebox/types/operations'
import { toUsd } from '../domain/ledger/money.js'
import type { Handler } from '../contract/handler.js'
import { ownWallet } from './own-wallet.js'

/** What a wallet has to spend. One that never paid has 0. */
export const getBalance: Handler<'getBalance'> = async ({ input, caller, services }) => {
  const walletAddress = ownWallet(caller, input.walletAddress)
  const balance = await services.ledger.balance(walletAddress)
  const { minimumTopUpUsd, suggestedTopUpUsd } = prices
  return {
    json: {
      success: true,
      data: { walletAddress, balanceUsd: toUsd(balance), canConsume: balance > 0n, minimumTopUpUsd, suggestedTopUpUsd },
    },
  }
}
