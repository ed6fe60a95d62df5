import { payment, wallet, type PaymentSigner, type WalletSigner } from '@farebox/auth'
import type { LedgerEntry } from '@farebox/types'
import type { Middleware } from '@farebox/middleware'
import type { RetryOptions } from '@farebox/retry'
import { nothingSent } from './call-statistics.js'
import type { FareboxCallOptions } from './call-options.js'
import { FareboxError } from './error.js'
import type { Perform } from './operation-methods.js'
import type { Settings } from './options.js'
import { pages } from './pages.js'
import { fromThrown } from './to-farebox-error.js'

// What needs a wallet. `create-farebox.ts` loads this file with `import()`, and nothing else has an
// import of it, so that a page with an API key does not load it.

export { autoTopUp } from './auto-top-up.js'

/** Signs in each call with the wallet. */
export function signIn(signer: WalletSigner, settings: Settings): Middleware {
  const { baseUrl, serviceName, reuse = false, allowInsecureHttp = false, onEvent } = settings
  const onReuseRefused = () => {
    try {
      onEvent?.({ type: 'reuse-refused' })
    } catch {
      // a listener does not fail a call
    }
  }
  return wallet(signer, { origin: baseUrl, allowInsecureHttp, serviceName, reuse, onReuseRefused })
}

/**
 * Pays the offer of a top-up, by the clock of `retry`. Throws a `FareboxError` if the wallet or the
 * amount cannot pay.
 */
export function paymentOf(signer: WalletSigner, settings: Settings, amountUsd: number): Middleware {
  const { baseUrl, topUp, store, payTo, networks, maxUsdPerPayment, allowInsecureHttp = false } = settings
  const { now, wait }: RetryOptions = settings.retry || {}
  const caps = { maxUsdPerPayment: Math.min(amountUsd, maxUsdPerPayment ?? amountUsd), maxUsdPerDay: topUp?.maxUsdPerDay ?? Infinity }
  if (!canPay(signer)) {
    throw refused(
      'configuration',
      `this ${signer.kind} wallet can sign in but not pay. Paying needs an EVM signer with signTypedData, as evmSigner and privateKeySigner make it, or one of solanaPaymentSigner of @farebox/auth/solana.`,
    )
  }
  try {
    return payment(signer, { origin: baseUrl, allowInsecureHttp, amountUsd, ...caps, store, payTo, networks, now, wait })
  } catch (error) {
    throw refused('invalid_input', error instanceof Error ? error.message : 'the amount cannot be paid')
  }
}

function canPay(signer: WalletSigner): signer is WalletSigner & PaymentSigner {
  return (signer.kind === 'evm' ? 'signTypedData' : 'rail') in signer
}

function refused(code: string, why: string): FareboxError {
  return new FareboxError(`topUp: ${why}`, { code, operation: 'topUp', attempts: 0 })
}

/** All pages of a wallet's ledger. */
export function ledger(perform: Perform, walletAddress: string, call?: FareboxCallOptions): AsyncGenerator<LedgerEntry, void, undefined> {
  return pages(
    async (offset) => {
      const { data } = await perform('listTransactions', { walletAddress, limit: 100, offset }, call)
      return { items: data.transactions, hasMore: data.pagination.hasMore }
    },
    () => {
      if (call?.signal?.aborted === true) throw fromThrown('listTransactions', call.signal.reason, call.signal, nothingSent)
    },
  )
}
