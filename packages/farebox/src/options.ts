import type { PaymentStore, WalletSigner } from '@farebox/auth'
import type { CallEvent, GuardOptions, PaceOptions, PaceStore, RetryOptions } from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'
import { misconfigured } from './error.js'
import type { Validation } from './validation.js'

export type FareboxOptions = {
  /** Ends in /api/v1. Default: the environment's FAREBOX_BASE_URL. */
  readonly baseUrl?: string | URL
  /** Bearer token, or a function for each attempt. Default without a wallet: FAREBOX_API_KEY. */
  readonly apiKey?: string | (() => string | Promise<string>)
  /** Signs in with SIGN-IN-WITH-X and pays top-ups. Not together with `apiKey`. */
  readonly wallet?: WalletSigner
  /**
   * Tops up the wallet after a 402, and sends the call once more. Default: off. `maxUsdPerDay` also
   * limits the method `topUp`.
   */
  readonly topUp?: { readonly amountUsd: number; readonly maxUsdPerDay: number }
  /** The largest single payment, in USD. Default: the amount that a top-up names. */
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
  /**
   * Allows credentials by plain HTTP to another machine, which shows them to the network between.
   * Default: HTTPS, and plain HTTP to this machine.
   */
  readonly allowInsecureHttp?: boolean
  /** Reuses a sign-in for 80 % of its lifetime, for a wallet that asks a person. Default: false. */
  readonly reuse?: boolean
  /** The name in the statement that the wallet signs. Default: Farebox. */
  readonly serviceName?: string
  /** `false` turns retries off. Payments use its `now` and `wait` too. */
  readonly retry?: RetryOptions | false
  /**
   * Delays calls to avoid a 429. All objects of this process with one origin, credential and
   * `fetch` share it and `guard`. `false` turns it off.
   */
  readonly pace?: PaceOptions | false
  /** Stops before the service blocks a caller whose calls fail. `false` turns it off. */
  readonly guard?: GuardOptions | false
  /**
   * Where processes with one origin and credential share `pace` and `guard`: `filePaceStore` of
   * `@farebox/retry/node` or `redisPaceStore` of `@farebox/retry/redis`. Needs an `apiKey` that is
   * no function, or `wallet`. Default: this process alone.
   */
  readonly paceStore?: PaceStore
  /**
   * The time limit of each attempt, headers and body, in milliseconds. For audio and video, the
   * time limit for the headers. Default 60,000; Infinity turns it off.
   */
  readonly timeoutMs?: number
  /**
   * The longest pause between two chunks of audio or video, in milliseconds. Default: `timeoutMs`.
   */
  readonly idleTimeoutMs?: number
  /** The largest body of JSON or text in bytes, 64 MiB by default. Audio and video: no limit. */
  readonly maxResponseBytes?: number
  /** Default: the global fetch at the time of the call. */
  readonly fetch?: typeof globalThis.fetch
  readonly onEvent?: (event: FareboxEvent) => void
  /**
   * The origins from which `generateVideo` fetches a file whose address the service names
   * (`download_url`); a redirect is not followed. `any` fetches and follows all, which is for
   * programs without a network of their own. Default: the origin of `baseUrl`.
   */
  readonly downloadOrigins?: readonly string[] | 'any'
  /** Lets a page use `apiKey`. Every visitor of the page can read the key. Default false. */
  readonly dangerouslyAllowBrowser?: boolean
  /** Validates inputs and responses: `validation()` of `farebox/validation`. Default: off. */
  readonly validation?: Validation
}

export type Settings = FareboxOptions & { readonly baseUrl: string; readonly serviceName: string; readonly timeoutMs: number }

/** Fills in the environment and the defaults. Throws a `FareboxError` for invalid options. */
export function readOptions(
  options: FareboxOptions,
  environment: Readonly<Record<string, string | undefined>> = processEnvironment(),
): Settings {
  if (options.apiKey !== undefined && options.wallet !== undefined) {
    throw misconfigured('Both apiKey and wallet are given. Give one: the service would let the wallet win.')
  }
  if (options.topUp !== undefined && options.wallet === undefined) {
    throw misconfigured('topUp is given without a wallet. Only a wallet can pay; give wallet, or leave topUp out.')
  }
  // no comparison with NaN is true, so such a limit would never apply; `topUp` needs both limits
  const { topUp } = options
  const numbers = { ...options, ...(topUp && { amountUsd: topUp.amountUsd ?? NaN, maxUsdPerDay: topUp.maxUsdPerDay ?? NaN }) }
  for (const [name, value] of Object.entries(numbers) as [string, number | undefined][]) {
    if (/Ms$|Bytes$|Usd/.test(name) && value !== undefined && !(typeof value === 'number' && value > 0)) {
      throw misconfigured(`${name} is ${value}. Expected a number above 0.`)
    }
  }
  if (options.apiKey !== undefined && options.dangerouslyAllowBrowser !== true && isPage()) {
    throw misconfigured(
      'apiKey is given in a browser, where whoever opens the page can read it. Give wallet, or call from a server; if the key may be read, set dangerouslyAllowBrowser: true.',
    )
  }
  const { downloadOrigins = [] } = options
  const badOrigin = downloadOrigins === 'any' ? undefined : downloadOrigins.find((origin) => !URL.canParse(origin))
  if (badOrigin !== undefined) throw misconfigured(`downloadOrigins has ${JSON.stringify(badOrigin)}, which is not a URL.`)
  const { apiKey: _given, ...others } = options
  const apiKey = options.apiKey ?? (options.wallet === undefined ? environment['FAREBOX_API_KEY'] : undefined)
  return {
    ...others,
    baseUrl: baseUrlOf(options.baseUrl ?? environment['FAREBOX_BASE_URL']),
    serviceName: options.serviceName ?? 'Farebox',
    timeoutMs: options.timeoutMs ?? 60_000,
    ...(apiKey !== undefined && apiKey !== '' && { apiKey }),
  }
}

function baseUrlOf(value: string | URL | undefined): string {
  if (value === undefined || value === '') {
    throw misconfigured('There is no base URL. Give baseUrl or set FAREBOX_BASE_URL, for instance to http://127.0.0.1:4020/api/v1.')
  }
  return readBaseUrl(String(value))
}

/** Whether this is a page in a browser, and no worker or server. */
function isPage(): boolean {
  const { window } = globalThis as { readonly window?: { readonly document?: unknown } }
  return window?.document !== undefined && typeof navigator !== 'undefined'
}

/** Empty in browsers and most workers, which have no `process`. */
function processEnvironment(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }
  return process?.env ?? {}
}

/**
 * A base URL as the SDK uses it, without slashes at its end. Throws a `FareboxError` with the code
 * `configuration` for any other text: no http or https URL, one with a user name, a query or a
 * fragment, and one without a path, such as `https://api.example.com` for
 * `https://api.example.com/api/v1`. No message repeats a password.
 */
export function readBaseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw misconfigured(`The base URL is ${JSON.stringify(withoutUserInfo(value))}; expected one like http://127.0.0.1:4020/api/v1.`)
  }
  if (url.username + url.password !== '') {
    throw misconfigured('The base URL holds a user name or a password. Leave it out, and give apiKey or wallet.')
  }
  if (/[?#]/.test(value)) {
    throw misconfigured('The base URL holds a query or a fragment. Leave it out.')
  }
  if (url.pathname === '/') throw misconfigured(`The base URL has no path. Did you mean ${url.origin}/api/v1?`)
  return value.replace(/\/+$/, '')
}

/** A URL that is safe to show: the text before an @ may be a password. */
function withoutUserInfo(url: string): string {
  return url.replace(/^(\w+:\/\/)?.*@/s, '$1[hidden]@')
}

/**
 * The events that `onEvent` receives: each send, response, failure, retry, wait and give-up of a
 * call, with its attempt, reason, delay and the source of the delay, each top-up, and once that the
 * service takes no sign-in twice, so that `reuse` has no effect. No event holds a credential, a
 * body or a header.
 */
export type FareboxEvent =
  | (CallEvent & { readonly operation: OperationId | undefined })
  | { readonly type: 'top-up'; readonly amountUsd: number }
  | { readonly type: 'reuse-refused' }
