import type { WalletSigner } from '@farebox/auth'
import { bearer, requireSecure } from '@farebox/auth/api-key'
import type { FileInput } from '@farebox/client'
import { untilAborted, type Middleware } from '@farebox/middleware'
import type { LedgerEntry, ParsedText } from '@farebox/types'
import type { OperationId } from '@farebox/types/operations'
import type { SendFor } from './call.js'
import { createChain } from './chain.js'
import { checkOptions, positive } from './check-options.js'
import { createConfigurationError, FareboxError } from './error.js'
import type { ParseAllOptions } from './forms.js'
import {
  loadCode,
  once,
  createMethods,
  createPerform,
  createRequest,
  loadForms,
  type FareboxRequest,
} from './operations.js'
import type { Data, FareboxCallOptions, Methods } from './methods.js'
import { readOptions, type FareboxOptions, type Settings } from './options.js'
import { errorFromThrown, nothingSent } from './to-error.js'
import type { GenerateVideo } from './video.js'
import { toFareboxCall, type FareboxCall } from './result.js'

/**
 * The operations, and tasks that use several of them. Every method throws only `FareboxError`. A
 * method may be called without the object.
 */
export type Farebox = Omit<Methods, 'topUp'> & {
  /**
   * Buys credit for the wallet: gets the offer, signs one USDC payment for exactly this amount and
   * sends it, repeatedly until there is a definite response. After the error code
   * `outcome_unknown`, read the balance before you buy again.
   *
   * @param amountUsd in USD
   * @example
   * ```ts
   * await farebox.topUp(5)
   * ```
   */
  readonly topUp: (amountUsd: number, options?: FareboxCallOptions) => FareboxCall<Data<'topUp'>>
  /**
   * Sends a request that the contract does not cover, with the credentials, retries and limits of
   * the operations. The path follows `baseUrl`. Returns a successful response, its body unread.
   *
   * @example
   * ```ts
   * const response = await farebox.request('POST', '/embeddings', { body: { input: 'Hello' } })
   * const embeddings = await response.json()
   * ```
   */
  readonly request: FareboxRequest
  /**
   * Extracts the text of several files: one result for each, in their order. A file that fails does
   * not lose the others. Each file is charged as by `parseText`.
   *
   * @example
   * ```ts
   * const results = await farebox.parseAll(files, { concurrency: 2 })
   * ```
   */
  readonly parseAll: (
    files: Iterable<FileInput>,
    options?: ParseAllOptions,
  ) => Promise<PromiseSettledResult<ParsedText>[]>
  /**
   * The spendable balance of the wallet, without the prices that are held for queued videos.
   *
   * @example
   * ```ts
   * const { balanceUsd } = await farebox.balance()
   * ```
   */
  readonly balance: (options?: FareboxCallOptions) => FareboxCall<Data<'getBalance'>>
  /**
   * The wallet's ledger over all pages, newest first. No entry is returned twice.
   *
   * @param walletAddress Default: that of the SDK's wallet.
   * @example
   * ```ts
   * for await (const entry of farebox.transactions()) console.log(entry)
   * ```
   */
  readonly transactions: (
    walletAddress?: string,
    options?: FareboxCallOptions,
  ) => AsyncGenerator<LedgerEntry, void, undefined>
  /**
   * Queues a video, polls until it is complete, and downloads it. With the result of an earlier
   * `queueVideo`, resumes that one.
   *
   * @example
   * ```ts
   * const input = { model, prompt: 'A tram in the rain', duration: '5s' }
   * const video = await farebox.generateVideo(input, { maxUsd: 1 })
   * await video.saveTo('tram.mp4')
   * ```
   */
  readonly generateVideo: GenerateVideo
}

/**
 * Creates the SDK for one service: one method for each operation, with sign-in, and with retries
 * where they are safe.
 *
 * With `wallet` each request carries a fresh SIGN-IN-WITH-X, with `apiKey` a bearer token. Both are
 * sent to the origin of `baseUrl` only. Throws a `FareboxError` with the code `configuration` for
 * invalid options. Sends no request by itself. Code that only wallets, forms or videos need is
 * loaded with `import()`: that of a wallet here, the rest by the first call that needs it.
 *
 * @example
 * ```ts
 * const farebox = createFarebox({ baseUrl: 'http://127.0.0.1:4020/api/v1', apiKey })
 * const speech = await farebox.createSpeech({ input: 'Hello' })
 * await speech.saveTo('hello.mp3')
 * ```
 */
export function createFarebox(options: FareboxOptions = {}): Farebox {
  try {
    return create(options)
  } catch (error) {
    throw error instanceof FareboxError ? error : createConfigurationError((error as Error).message)
  }
}

function create(options: FareboxOptions): Farebox {
  checkOptions(options)
  const settings = readOptions(options)
  const chain = createChain(settings)
  const { wallet, payments } = settings

  const pay = async (amountUsd: number, call?: FareboxCallOptions) => {
    if (!wallet)
      throw createWalletError(
        'topUp: no wallet to pay with. Pass a wallet to createFarebox.',
        'topUp',
      )
    const fault = positive(amountUsd)
    if (fault !== undefined)
      throw new FareboxError(`topUp: the amount ${fault} Nothing was sent.`, {
        code: 'invalid_input',
        operation: 'topUp',
        attempts: 0,
      })
    const perform = createPerform(settings, async (options) => {
      const { createPayment } = await loadWallet()
      return chain.sendFor([createPayment(wallet, settings, amountUsd)])(options)
    })
    const result = await perform('topUp', {}, call)
    try {
      settings.onEvent?.({ type: 'top-up', amountUsd })
    } catch {
      // the payment has been made: a failing listener must not hide it
    }
    return result
  }

  const signedSend = (signer: WalletSigner): SendFor => {
    const load = once(async () => {
      const { autoTopUp, createSignIn } = await loadWallet()
      const topUp = payments?.topUp
      const refill = topUp ? [autoTopUp((signal) => pay(topUp.amountUsd, { signal }))] : []
      return chain.sendFor(createSignIn(signer, settings, chain.caller), refill)
    })
    // at once, since a page may be offline later
    load().catch(() => undefined)
    return async (call) => (await load())(call)
  }
  const access = createKeyAccess(settings)
  const sendFor = wallet ? signedSend(wallet) : chain.sendFor(access)

  const perform = createPerform(settings, sendFor)
  const methods = createMethods(perform)
  const requireAddress = (remedy: string, address = wallet?.address): string => {
    if (address === undefined)
      throw createWalletError(`No wallet. Pass one to createFarebox${remedy}.`)
    return address
  }

  return {
    ...methods,
    topUp: (amountUsd, call) => toFareboxCall(pay(amountUsd, call)),
    request: createRequest(settings, sendFor),
    parseAll: async (files, call) => {
      const { parseAll } = await loadFor('parseText', loadForms(call?.signal), call?.signal)
      return parseAll(
        (file, each) => methods.parseText({ file, response_format: 'json' }, each),
        files,
        call,
      )
    },
    balance: (call) =>
      toFareboxCall(
        (async () => {
          const walletAddress = requireAddress('. The balance of an API key is in getRateLimits')
          return perform('getBalance', { walletAddress }, call)
        })(),
      ),
    async *transactions(walletAddress, call) {
      const { readLedger } = await loadWallet()
      yield* readLedger(perform, requireAddress(', or an address', walletAddress), call)
    },
    generateVideo: async (input, call) => {
      const { createGenerateVideo } = await loadFor(
        'queueVideo',
        untilAborted(loadVideo(), call?.signal),
        call?.signal,
      )
      return createGenerateVideo(settings, chain, methods)(input, call)
    },
  }
}

const loadWallet = () => loadCode('wallets', () => import('./wallet.js'))
const loadVideo = () => loadCode('videos', () => import('./video.js'))

/** Makes a failure to load code an error of the operation that needs it. */
function loadFor<Code>(
  operation: OperationId,
  code: Promise<Code>,
  signal: AbortSignal | undefined,
): Promise<Code> {
  return code.catch((error: unknown) => {
    throw errorFromThrown(operation, error, signal, nothingSent)
  })
}

/** Adds an API key. The code of a wallet comes later, so its origin is checked here. */
function createKeyAccess({
  apiKey,
  wallet,
  baseUrl,
  allowInsecureHttp = false,
}: Settings): readonly Middleware[] {
  const target = { origin: baseUrl, allowInsecureHttp }
  if (apiKey !== undefined) return [bearer(apiKey, target)]
  if (wallet !== undefined) requireSecure(baseUrl, target)
  return []
}

function createWalletError(message: string, operation?: OperationId): FareboxError {
  return new FareboxError(message, {
    code: 'configuration',
    attempts: 0,
    ...(operation && { operation }),
  })
}
