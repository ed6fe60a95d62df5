import type { WalletSigner } from '@farebox/auth'
import { bearer, requireSecure } from '@farebox/auth/api-key'
import { compose, fetchSend, untilAborted, type Middleware, type Send } from '@farebox/middleware'
import type { OperationId } from '@farebox/types/operations'
import type { FareboxCallOptions } from './call-options.js'
import { nothingSent } from './call-statistics.js'
import { FareboxError } from './error.js'
import type { Farebox } from './farebox.js'
import { unknownOption } from './known-options.js'
import { loaded, once } from './loaded.js'
import { formPart, operationMethods, performing } from './operation-methods.js'
import { optionNames } from './option-names.js'
import { misconfigured } from './misconfigured.js'
import { readOptions, type FareboxOptions, type Settings } from './options.js'
import { requesting } from './request.js'
import type { SendOf } from './run-call.js'
import { sendingOf, type Sending } from './sending.js'
import { fromThrown } from './to-farebox-error.js'
import { callOf } from './with-response.js'

/**
 * Creates the SDK for one service: one method for each operation, with sign-in, and with retries
 * where they are safe.
 *
 * With `wallet` each request carries a fresh SIGN-IN-WITH-X, with `apiKey` a bearer token. Both are
 * sent to the origin of `baseUrl` only. Throws a `FareboxError` with the code `configuration` for
 * invalid options. Sends no request by itself. What only a wallet, a form or a video needs is
 * loaded with `import()`: that of the wallet here, the others by the first call that needs them.
 */
export function createFarebox(options: FareboxOptions = {}): Farebox {
  try {
    return create(options)
  } catch (error) {
    throw error instanceof FareboxError ? error : misconfigured((error as Error).message)
  }
}

function create(options: FareboxOptions): Farebox {
  const unknown = unknownOption(options, optionNames, 'createFarebox')
  if (unknown !== undefined) throw misconfigured(unknown)
  const settings = readOptions(options)
  const sending = sendingOf(settings)
  const { wallet } = settings

  const pay = async (amountUsd: number, call?: FareboxCallOptions) => {
    const signer = wallet ?? noWallet('topUp: there is no wallet to pay with. Give createFarebox a wallet.', 'topUp')
    const paying: SendOf = async (own) => {
      const { paymentOf } = await walletPart()
      return sendOf(settings, sending, [], [paymentOf(signer, settings, amountUsd)])(own)
    }
    const answered = await performing(settings, paying)('topUp', {}, call)
    try {
      settings.onEvent?.({ type: 'top-up', amountUsd })
    } catch {
      // the payment was made: a failing listener must not hide it
    }
    return answered
  }
  const access = accessOf(settings)
  const send = wallet ? signingIn(wallet, settings, sending, (usd, signal) => pay(usd, { signal })) : sendOf(settings, sending, [], access)
  const perform = performing(settings, send)
  const methods = operationMethods(perform)
  const own = (address = wallet?.address) =>
    address ?? noWallet('There is no wallet, so there is no address of its own. Give one, or give createFarebox a wallet.')

  return {
    ...methods,
    topUp: (amountUsd, call) => callOf(pay(amountUsd, call)),
    request: requesting(settings, send),
    parseAll: async (files, given) => {
      const { parseAll } = await partOf('parseText', formPart(given?.signal), given?.signal)
      return parseAll((file, call) => methods.parseText({ file, response_format: 'json' }, call), files, given)
    },
    balance: (call) => callOf((async () => perform('getBalance', { walletAddress: own() }, call))()),
    async *transactions(walletAddress, call) {
      const { ledger } = await walletPart()
      yield* ledger(perform, own(walletAddress), call)
    },
    generateVideo: async (input, video) => {
      const { videoMethod } = await partOf('queueVideo', untilAborted(videoPart(), video?.signal), video?.signal)
      return videoMethod(settings, sending, fetching(settings), methods)(input, video)
    },
  }
}

const walletPart = () => loaded('wallets', () => import('./wallet-part.js'))
const videoPart = () => loaded('videos', () => import('./video-part.js'))

/** Code that is loaded later, or the error of the operation that needs it. */
function partOf<Part>(operation: OperationId, part: Promise<Part>, signal: AbortSignal | undefined): Promise<Part> {
  return part.catch((error: unknown) => {
    throw fromThrown(operation, error, signal, nothingSent)
  })
}

/** `retry → pace → guard → payment → auth → fetch`. The automatic top-up is outermost. */
function sendOf(
  settings: Settings,
  { retryOf, limits, request }: Sending,
  outermost: readonly Middleware[],
  access: readonly Middleware[],
): SendOf {
  const within = compose(fetching(settings), [...limits, ...access, ...request])
  const usual = compose(within, [...outermost, ...retryOf()])
  return ({ retry }) => (retry === undefined ? usual : compose(within, [...outermost, ...retryOf(retry)]))
}

/** The calls of a wallet. Its code is loaded at once, since a page may be offline later. */
function signingIn(
  signer: WalletSigner,
  settings: Settings,
  sending: Sending,
  pay: (amountUsd: number, signal: AbortSignal) => Promise<unknown>,
): SendOf {
  const { topUp } = settings
  const made = once(async () => {
    const { autoTopUp, signIn } = await walletPart()
    const refill = topUp === undefined ? [] : [autoTopUp((signal) => pay(topUp.amountUsd, signal))]
    return sendOf(settings, sending, refill, [signIn(signer, settings)])
  })
  made().catch(() => undefined)
  return async (options) => (await made())(options)
}

function fetching({ fetch }: Settings): Send {
  return fetchSend((url, init) => (fetch ?? globalThis.fetch)(url, init))
}

/** What adds an API key. The code of a wallet comes later, so its origin is checked here. */
function accessOf({ apiKey, wallet, baseUrl, allowInsecureHttp = false }: Settings): readonly Middleware[] {
  const to = { origin: baseUrl, allowInsecureHttp }
  if (apiKey !== undefined) return [bearer(apiKey, to)]
  if (wallet !== undefined) requireSecure(baseUrl, to)
  return []
}

function noWallet(message: string, operation?: OperationId): never {
  throw new FareboxError(message, { code: 'configuration', attempts: 0, ...(operation && { operation }) })
}
