import { toUsd } from '../domain/ledger/money.js'
import type { Handler } from '../contract/handler.js'
import { ownWallet, walletMismatch } from './own-wallet.js'

/** A page of the wallet's ledger, newest first. */
export const listTransactions: Handler<'listTransactions'> = async ({
  input,
  caller,
  services,
}) => {
  const walletAddress = ownWallet(caller, input.walletAddress)
  if (walletAddress === undefined) return walletMismatch()
  const { limit } = input
  const offset = input.offset ?? 0
  const { balance, entries, hasMore } = await services.ledger.entries(walletAddress, {
    limit,
    offset,
  })
  return {
    status: 200,
    json: {
      success: true,
      data: {
        walletAddress,
        currentBalance: toUsd(balance),
        transactions: entries.map(
          ({ id, amount, balanceAfter, type, createdAt, requestId, modelId }) => ({
            id,
            amount: toUsd(amount),
            balanceAfter: toUsd(balanceAfter),
            type,
            createdAt: createdAt.toISOString(),
            requestId,
            modelId,
          }),
        ),
        pagination: { limit, offset, hasMore },
      },
    },
  }
}
