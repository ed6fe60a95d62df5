import { rails } from '@farebox/auth/verify'
import { prices } from '@farebox/types/operations'
import { failure } from '../contract/failures.js'
import type { Handler } from '../contract/handler.js'
import type { WalletCaller } from '../domain/accounts/authenticate.js'
import { toUsd } from '../domain/ledger/money.js'

/** The account of the caller, if it is the wallet in the path. */
function ownWallet({ account, chain }: WalletCaller, walletAddress: string): string | undefined {
  return rails[chain].isSame(account, walletAddress) ? account : undefined
}

function walletMismatch() {
  return failure(
    403,
    'The wallet that signed in is not the one that was asked for.',
    'X402_WALLET_MISMATCH',
  )
}

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
