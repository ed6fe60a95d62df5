import type { PaymentStore, WalletSigner } from '@farebox/auth'
import type {
  CallEvent,
  FailureBudgetOptions,
  RateLimitOptions,
  LimitStore,
  RetryOptions,
} from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'
import { createConfigurationError } from './error.js'
import type { Validation } from './validation.js'

export type FareboxOptions = {
  /** Ends in /api/v1. Default: the environment variable FAREBOX_BASE_URL. */
  readonly baseUrl?: string | URL
  /**
   * Bearer token, or a function that returns one for each attempt. Default without a wallet: the
   * environment variable FAREBOX_API_KEY.
   */
  readonly apiKey?: string | (() => string | Promise<string>)
  /** Signs in with SIGN-IN-WITH-X and pays top-ups. Not together with `apiKey`. */
  readonly wallet?: WalletSigner
  /** How the wallet pays. */
  readonly payments?: FareboxPayments
  /** How the wallet signs in. */
  readonly signIn?: FareboxSignIn
  /**
   * Allows credentials over plain HTTP to another machine, which shows them to the network between.
   * Default: HTTPS, and plain HTTP to this machine.
   */
  readonly allowInsecureHttp?: boolean
  /** `false` turns retries off. Payments use its `now` and `wait` too. */
  readonly retry?: RetryOptions | false
  /**
   * Delays calls to avoid a 429. All objects of this process with one origin, credential and
   * `fetch` share it and `failureBudget`. `false` turns it off.
   */
  readonly rateLimit?: RateLimitOptions | false
  /** Stops before the service blocks a caller whose calls fail. `false` turns it off. */
  readonly failureBudget?: FailureBudgetOptions | false
  /**
   * Where processes with one origin and credential share `rateLimit` and `failureBudget`:
   * `fileLimitStore` of `@farebox/retry/node` or `redisLimitStore` of `@farebox/retry`. Needs
   * `wallet`, or an `apiKey` that is a string. Default: this process only.
   */
  readonly limitStore?: LimitStore
  /**
   * The time limit of each attempt, headers and body, in milliseconds. For audio, video and a
   * streamed completion, the time limit for the headers. Default 60,000; Infinity turns it off.
   */
  readonly timeoutMs?: number
  /**
   * The longest pause between two chunks of audio, video or a streamed completion, in milliseconds.
   * Default: `timeoutMs`.
   */
  readonly idleTimeoutMs?: number
  /** The largest body of JSON or text in bytes, 64 MiB by default. Audio and video: no limit. */
  readonly maxResponseBytes?: number
  /** Default: the global fetch at the time of the call. */
  readonly fetch?: typeof globalThis.fetch
  readonly onEvent?: (event: FareboxEvent) => void
  /**
   * The origins from which `generateVideo` fetches a file whose address the service names
   * (`download_url`); redirects are not followed. `any` allows every origin and follows redirects:
   * use it only where no private network can be reached. Default: the origin of `baseUrl`.
   */
  readonly downloadOrigins?: readonly string[] | 'any'
  /** Lets a page use `apiKey`. Every visitor of the page can read the key. Default false. */
  readonly dangerouslyAllowBrowser?: boolean
  /** Validates inputs and responses: `validation()` of `farebox/validation`. Default: off. */
  readonly validation?: Validation
}

/** The payments of a wallet. */
export type FareboxPayments = {
  /**
   * Tops up the wallet after a 402, and sends the call once more. Default: off. `maxUsdPerDay` also
   * limits the method `topUp`.
   */
  readonly topUp?: { readonly amountUsd: number; readonly maxUsdPerDay: number }
  /** The largest single payment, in USD. Default: the amount of the top-up. */
  readonly maxUsdPerPayment?: number
  /** The payees that the wallet may pay. Default: any that the service names. */
  readonly payTo?: readonly string[]
  /** CAIP-2 names of the networks to pay on. Default: Base, or the main network of Solana. */
  readonly networks?: readonly string[]
  /**
   * Where signed payments are recorded. Objects with one store share caps and payments.
   * Default: a folder of the user in Node, Bun and Deno, IndexedDB in browsers. Elsewhere payments
   * need a store.
   */
  readonly store?: PaymentStore
}

/** The sign-in of a wallet. */
export type FareboxSignIn = {
  /** Reuses a sign-in for 80 % of its lifetime, for wallets that ask a person. Default: false. */
  readonly reuse?: boolean
  /** The name in the statement that the wallet signs. Default: Farebox. */
  readonly serviceName?: string
}

/**
 * The events that `onEvent` receives: each send, response, failure, retry, wait and give-up of a
 * call, with its attempt, reason, delay and the source of the delay; each top-up; and, once, that
 * the service accepts no sign-in twice, so that `reuse` has no effect. No event holds a credential,
 * a body or a header.
 */
export type FareboxEvent =
  | (CallEvent & { readonly operation: OperationId | undefined })
  | { readonly type: 'top-up'; readonly amountUsd: number }
  | { readonly type: 'reuse-rejected' }

/** The options with their defaults. */
export type Settings = FareboxOptions & {
  readonly baseUrl: string
  readonly timeoutMs: number
}

/** Fills in the environment and the defaults. Throws a `FareboxError` for an invalid base URL. */
export function readOptions(
  { apiKey, ...options }: FareboxOptions,
  environment: Readonly<Record<string, string | undefined>> = readProcessEnvironment(),
): Settings {
  const key = apiKey ?? (options.wallet === undefined ? environment['FAREBOX_API_KEY'] : undefined)
  const baseUrl = options.baseUrl ?? environment['FAREBOX_BASE_URL']
  if (baseUrl === undefined || baseUrl === '') {
    throw createConfigurationError(
      'No base URL. Pass baseUrl or set FAREBOX_BASE_URL, for example to http://127.0.0.1:4020/api/v1.',
    )
  }
  return {
    ...options,
    baseUrl: readBaseUrl(String(baseUrl)),
    timeoutMs: options.timeoutMs ?? 60_000,
    ...(key !== undefined && key !== '' && { apiKey: key }),
  }
}

/** Empty in browsers and most workers, which have no `process`. */
function readProcessEnvironment(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  return process?.env ?? {}
}

/**
 * Checks a base URL and removes the slashes at its end. Throws a `FareboxError` with the code
 * `configuration` if it is not an http or https URL, if it has a user name, a query or a fragment,
 * and if it has no path, such as `https://api.example.com` instead of
 * `https://api.example.com/api/v1`. No message repeats a password.
 *
 * @example
 * ```ts
 * readBaseUrl('https://api.example.com/api/v1/') // 'https://api.example.com/api/v1'
 * ```
 */
export function readBaseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw createConfigurationError(
      `The base URL is ${JSON.stringify(hideUserInfo(value))}; expected one like http://127.0.0.1:4020/api/v1.`,
    )
  }
  if (url.username + url.password !== '') {
    throw createConfigurationError(
      'The base URL has a user name or a password. Remove it, and pass apiKey or wallet.',
    )
  }
  if (/[?#]/.test(value)) {
    throw createConfigurationError('The base URL has a query or a fragment. Remove it.')
  }
  if (url.pathname === '/')
    throw createConfigurationError(`The base URL has no path. Did you mean ${url.origin}/api/v1?`)
  return value.replace(/\/+$/, '')
}

/** A URL that is safe to show: what precedes an @ may be a password. */
function hideUserInfo(url: string): string {
  return url.replace(/^(\w+:\/\/)?.*@/s, '$1[hidden]@')
}
