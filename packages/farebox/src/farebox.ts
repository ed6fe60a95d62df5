import type { WalletSigner } from '@farebox/auth'
import { bearer, requireSecure } from '@farebox/auth/api-key'
import type { FileInput } from '@farebox/client'
import { compose, fetchSend, type Middleware, type Send, untilAborted } from '@farebox/middleware'
import type { LedgerEntry, ParsedText, QueuedVideo } from '@farebox/types'
import type { OperationId } from '@farebox/types/operations'
import { nothingSent } from './attempt.js'
import type { SendOf } from './call.js'
import { type Sending, sendingOf } from './chain.js'
import { optionNames, unknownOption } from './check-options.js'
import { FareboxError, misconfigured } from './error.js'
import type { ParseAllOptions } from './forms.js'
import { loaded, once } from './lazy.js'
import type { Data, FareboxCallOptions, Media, Methods } from './methods.js'
import { type FareboxRequest, formPart, operationMethods, performing, requesting } from './operations.js'
import { type FareboxOptions, readOptions, type Settings } from './options.js'
import { fromThrown } from './to-error.js'
import type { VideoInput, VideoOptions } from './video.js'
import { callOf, type FareboxCall } from './with-response.js'

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

const walletPart = () => loaded('wallets', () => import('./wallet.js'))
const videoPart = () => loaded('videos', () => import('./video.js'))

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

/**
 * The operations, and tasks that use several of them. Every method throws only `FareboxError`. A
 * method may be called without the object.
 */
export type Farebox = Omit<Methods, 'topUp'> & {
  /**
   * Buys credit for the wallet: gets the offer, signs one USDC payment for exactly this amount and
   * sends it, repeatedly until there is a definite response. After the error code
   * `outcome_unknown`, read the balance before you buy again.
   */
  readonly topUp: (amountUsd: number, options?: FareboxCallOptions) => FareboxCall<Data<'topUp'>>
  /**
   * Sends a request that the contract does not cover, with the credentials, retries and limits of
   * the operations. The path follows `baseUrl`. Gives a successful response, its body unread.
   */
  readonly request: FareboxRequest
  /**
   * Extracts the text of several files: one result for each, in their order. A file that fails does
   * not lose the others. Each file is charged as by `parseText`.
   */
  readonly parseAll: (files: Iterable<FileInput>, options?: ParseAllOptions) => Promise<PromiseSettledResult<ParsedText>[]>
  /** The spendable balance of the wallet, without the prices that are held for queued videos. */
  readonly balance: (options?: FareboxCallOptions) => FareboxCall<Data<'getBalance'>>
  /** The wallet's ledger over all pages, newest first. No entry is returned twice. */
  readonly transactions: (walletAddress?: string, options?: FareboxCallOptions) => AsyncGenerator<LedgerEntry, void, undefined>
  /**
   * Queues a video, polls until it is complete, and downloads it. With the result of an earlier
   * `queueVideo`, resumes that one.
   */
  readonly generateVideo: (input: VideoInput | QueuedVideo, options?: VideoOptions) => Promise<Media>
}
