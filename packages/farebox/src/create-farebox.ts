import { bearer, memoryPaymentStore, payment, wallet, type PaymentSigner, type PaymentStore, type WalletSigner } from '@farebox/auth'
import type { CallOptions } from '@farebox/client'
import * as client from '@farebox/client/operations'
import { compose, fetchSend, sleep, type Middleware, type Send } from '@farebox/middleware'
import type { OperationId } from '@farebox/types/operations'
import { autoTopUp } from './auto-top-up.js'
import { reportBrokenBody } from './broken-body.js'
import { cleanError } from './clean-error.js'
import { FareboxError } from './error.js'
import type { Farebox } from './farebox.js'
import type { Methods } from './methods.js'
import { readOptions, type FareboxOptions, type Settings } from './options.js'
import { pages } from './pages.js'
import { sendingOf, type Sending } from './sending.js'
import { countSends, nothingSent } from './call-statistics.js'
import { fromAnswer, fromThrown } from './to-farebox-error.js'
import { generateVideo } from './video.js'

/**
 * Creates the SDK for one service: one method for each operation, with sign-in, and with retries
 * where they are safe.
 *
 * With `wallet` each request carries a fresh SIGN-IN-WITH-X, with `apiKey` a bearer token. Both are
 * sent to the origin of `baseUrl` only. Throws a `FareboxError` with the code `configuration` for
 * invalid options. Sends no request by itself.
 */
export function createFarebox(options: FareboxOptions = {}): Farebox {
  const settings = readOptions(options)
  const sending = sendingOf(settings)
  const store = memoryPaymentStore()

  const topUp: Farebox['topUp'] = async (amountUsd, call) => {
    const pay = paymentOf(settings, amountUsd, store)
    const { data } = await methodsOf(settings, sendOf(settings, sending, [], [pay])).topUp({}, call)
    settings.onEvent?.({ type: 'top-up', amountUsd })
    return data
  }

  const refill = settings.topUp === undefined ? [] : [autoTopUp((signal) => topUp(settings.topUp?.amountUsd ?? 0, { signal }))]
  const methods = methodsOf(settings, sendOf(settings, sending, refill, credentials(settings)))
  const { topUp: _low, ...others } = methods
  const own = (address = settings.wallet?.address) => address ?? missingAddress()

  return {
    ...others,
    topUp,
    balance: async (call) => (await methods.getBalance({ walletAddress: own() }, call)).data,
    transactions: (walletAddress, call) =>
      pages(
        async (offset) => {
          const { data } = await methods.listTransactions({ walletAddress: own(walletAddress), limit: 100, offset }, call)
          return { items: data.transactions, hasMore: data.pagination.hasMore }
        },
        () => {
          if (call?.signal?.aborted === true) throw fromThrown('listTransactions', call.signal.reason, call.signal, nothingSent)
        },
      ),
    generateVideo: async (input, video) =>
      generateVideo({ methods, send: bare(settings, sending), now: Date.now, wait: sleep }, input, video).catch((error: unknown) => {
        throw error instanceof FareboxError ? cleanError(error, sending.redact, video?.signal?.reason) : error
      }),
  }
}

/** `retry → pace → guard → payment → auth → fetch`. The automatic top-up is outermost. */
function sendOf(
  settings: Settings,
  { retry, limits, request }: Sending,
  outermost: readonly Middleware[],
  access: readonly Middleware[],
): Send {
  return compose(fetching(settings), [...outermost, ...retry, ...limits, ...access, ...request])
}

/** For requests that are not operations: with retries and timeouts, without credentials. */
function bare(settings: Settings, { retry, request }: Sending): Send {
  return compose(fetching(settings), [...retry, ...request])
}

function fetching({ fetch }: Settings): Send {
  return fetchSend((url, init) => (fetch ?? globalThis.fetch)(url, init))
}

function credentials({ wallet: signer, apiKey, baseUrl, serviceName }: Settings): readonly Middleware[] {
  if (signer !== undefined) return [wallet(signer, { origin: baseUrl, serviceName })]
  return apiKey === undefined ? [] : [bearer(apiKey, { origin: baseUrl })]
}

/** The client's operations. Each returns the data and throws every failure. */
function methodsOf({ baseUrl, maxResponseBytes, validation }: Settings, send: Send): Methods {
  const calls = { ...client }
  const given = { baseUrl, ...(maxResponseBytes !== undefined && { maxResponseBytes }) }
  const method = (id: OperationId) => async (input: never, options?: CallOptions) => {
    const counted = countSends(send)
    try {
      await validation?.validateInput(id, input ?? {})
      const result = await calls[id]({ ...given, send: counted.send }, input, options)
      await validation?.validateAnswer(id, result.response, 'error' in result ? result.error : result.data)
      if ('error' in result) throw fromAnswer(id, result.response, result.error, counted.now())
      const { data } = result
      return data instanceof Response ? reportBrokenBody(id, data, options?.signal, counted.now) : data
    } catch (error) {
      throw fromThrown(id, error, options?.signal, counted.now())
    }
  }
  const ids = Object.keys(calls) as OperationId[]
  return Object.fromEntries(ids.map((id) => [id, method(id)])) as unknown as Methods
}

function paymentOf(settings: Settings, amountUsd: number, store: PaymentStore): Middleware {
  const signer = payingWallet(settings.wallet)
  const maxUsdPerDay = settings.topUp?.maxUsdPerDay ?? Infinity
  try {
    return payment(signer, { origin: settings.baseUrl, amountUsd, maxUsdPerPayment: amountUsd, maxUsdPerDay, store })
  } catch (error) {
    throw new FareboxError(`topUp: ${error instanceof Error ? error.message : 'the amount cannot be paid'}`, {
      code: 'invalid_input',
      operation: 'topUp',
      attempts: 0,
    })
  }
}

function payingWallet(signer: WalletSigner | undefined): PaymentSigner {
  if (signer !== undefined && (signer.kind === 'evm' ? 'signTypedData' : 'rail') in signer) return signer as WalletSigner & PaymentSigner
  throw new FareboxError(
    signer === undefined
      ? 'topUp: there is no wallet to pay with. Give createFarebox a wallet.'
      : `topUp: this ${signer.kind} wallet can sign in but not pay. Paying needs an EVM signer with signTypedData, as evmSigner and privateKeySigner make it, or one of solanaPaymentSigner of @farebox/auth/solana.`,
    { code: 'configuration', operation: 'topUp', attempts: 0 },
  )
}

function missingAddress(): never {
  throw new FareboxError('There is no wallet, so there is no address of its own. Give one, or give createFarebox a wallet.', {
    code: 'configuration',
    attempts: 0,
  })
}
