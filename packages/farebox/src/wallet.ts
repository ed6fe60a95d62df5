import { pay, signIn, type PaymentSigner, type WalletSigner } from '@farebox/auth'
import { discard, isResendable, untilAborted, type Middleware } from '@farebox/middleware'
import { concurrencyLimit, type RetryOptions } from '@farebox/retry'
import type { LedgerEntry } from '@farebox/types'
import { FareboxError, type FareboxErrorCode } from './error.js'
import type { FareboxCallOptions } from './methods.js'
import type { Perform } from './operations.js'
import type { Settings } from './options.js'
import { errorFromThrown, nothingSent } from './to-error.js'

// Code that only a wallet needs. `farebox.ts` loads this file with `import()`, and nothing else may
// import it, so that a page with an API key does not load it.

/**
 * Signs in each call with the wallet. Before that, it learns how many requests at the same time the
 * service accepts, so that a wait does not age a signature.
 */
export function createSignIn(
  signer: WalletSigner,
  settings: Settings,
  caller: string,
): readonly Middleware[] {
  const { baseUrl, signIn: options, allowInsecureHttp = false, onEvent } = settings
  const onReuseRejected = () => {
    try {
      onEvent?.({ type: 'reuse-rejected' })
    } catch {
      // a failing listener does not fail a call
    }
  }
  return [
    ...(settings.rateLimit === false ? [] : [concurrencyLimit({ caller })]),
    signIn(signer, { ...options, origin: baseUrl, allowInsecureHttp, onReuseRejected }),
  ]
}

/**
 * Pays the offer of a top-up, by the clock of `retry`. Throws a `FareboxError` if the wallet cannot
 * pay, or not this amount.
 */
export function createPayment(
  signer: WalletSigner,
  settings: Settings,
  amountUsd: number,
): Middleware {
  const { baseUrl, payments = {}, allowInsecureHttp = false } = settings
  const { topUp, store, payTo, networks, maxUsdPerPayment } = payments
  const { now, wait }: RetryOptions = settings.retry || {}
  const caps = {
    maxUsdPerPayment: Math.min(amountUsd, maxUsdPerPayment ?? amountUsd),
    maxUsdPerDay: topUp?.maxUsdPerDay ?? Infinity,
  }
  if (!canPay(signer)) {
    throw createTopUpError(
      'configuration',
      `this ${signer.kind} wallet can sign in but not pay. Paying needs an EVM signer with signTypedData, as evmSigner and privateKeySigner return it, or solanaPaymentSigner of @farebox/auth/solana.`,
    )
  }
  try {
    return pay(signer, {
      origin: baseUrl,
      allowInsecureHttp,
      amountUsd,
      ...caps,
      store,
      payTo,
      networks,
      now,
      wait,
    })
  } catch (error) {
    throw createTopUpError(
      'invalid_input',
      error instanceof Error ? error.message : 'the amount cannot be paid',
    )
  }
}

function canPay(signer: WalletSigner): signer is WalletSigner & PaymentSigner {
  return (signer.kind === 'evm' ? 'signTypedData' : 'rail') in signer
}

function createTopUpError(code: FareboxErrorCode, why: string): FareboxError {
  return new FareboxError(`topUp: ${why}`, { code, operation: 'topUp', attempts: 0 })
}

/** A top-up in progress, and the number of calls that wait for it. */
type TopUp = { readonly end: Promise<unknown>; readonly stop: AbortController; waiting: number }

/**
 * Tops up after a 402 of an operation that a wallet may call, and sends that call once more. Calls
 * that get a 402 during a top-up wait for it. A call that was sent before the last top-up ended is
 * only sent again: its 402 may be older than the credit. A second 402 is returned to the caller.
 *
 * An aborted call stops waiting at once, with its signal's reason. The top-up is aborted when no
 * call waits for it.
 */
export function autoTopUp(topUp: (signal: AbortSignal) => Promise<unknown>): Middleware {
  let current: TopUp | undefined
  let completed = 0

  const start = (): TopUp => {
    const stop = new AbortController()
    const end = topUp(stop.signal).then(() => completed++)
    return { end, stop, waiting: 0 }
  }

  const wait = async (signal: AbortSignal | undefined): Promise<void> => {
    const joinedTopUp = (current ??= start())
    joinedTopUp.waiting++
    try {
      await untilAborted(joinedTopUp.end, signal)
    } finally {
      if (--joinedTopUp.waiting === 0) {
        // the next call starts a new one
        if (current === joinedTopUp) current = undefined
        joinedTopUp.stop.abort()
      }
    }
  }

  return (next) => async (call) => {
    const before = completed
    const response = await next(call)
    const isPayable = call.operation?.security.some((schemes) => schemes.includes('siwx')) === true
    if (
      response.status !== 402 ||
      !isPayable ||
      !isResendable(call) ||
      call.signal?.aborted === true
    )
      return response
    void discard(response)
    if (completed === before) await wait(call.signal)
    return next(call)
  }
}

/** All pages of a wallet's ledger. */
export function readLedger(
  perform: Perform,
  walletAddress: string,
  call?: FareboxCallOptions,
): AsyncGenerator<LedgerEntry, void, undefined> {
  return readPages(
    async (offset) => {
      const { data } = await perform(
        'listTransactions',
        { walletAddress, limit: 100, offset },
        call,
      )
      return { items: data.transactions, hasMore: data.pagination.hasMore }
    },
    () => {
      if (call?.signal?.aborted === true)
        throw errorFromThrown('listTransactions', call.signal.reason, call.signal, nothingSent)
    },
  )
}

/** One page of a list that is read by offset. */
export type Page<Item> = { readonly items: readonly Item[]; readonly hasMore: boolean }

/**
 * Iterates over a list that grows at its front while it is read. An entry that a new one pushed
 * onto the next page is returned once. Ends at the last page, at an empty page, when the reader
 * stops, or with an error of `check`, which is called before each entry.
 */
export async function* readPages<Item extends { readonly id: string }>(
  read: (offset: number) => Promise<Page<Item>>,
  check: () => void = () => undefined,
): AsyncGenerator<Item, void, undefined> {
  const seenIds = new Set<string>()
  for (let offset = 0; ;) {
    const { items, hasMore } = await read(offset)
    for (const item of items) {
      if (seenIds.has(item.id)) continue
      seenIds.add(item.id)
      check()
      yield item
    }
    offset += items.length
    if (!hasMore || items.length === 0) return
  }
}
