import type { WalletSigner } from '@farebox/auth'
import type { GuardOptions, PaceOptions, RetryOptions } from '@farebox/retry'
import type { FareboxEvent } from './events.js'
import type { Validation } from './validation.js'
import { FareboxError } from './error.js'

export type FareboxOptions = {
  /** Ends in /api/v1. Default: the environment's FAREBOX_BASE_URL. */
  readonly baseUrl?: string
  /** Bearer token, or a function for each attempt. Default without a wallet: FAREBOX_API_KEY. */
  readonly apiKey?: string | (() => string | Promise<string>)
  /** Signs in with SIGN-IN-WITH-X and pays top-ups. Not together with `apiKey`. */
  readonly wallet?: WalletSigner
  /** Tops up the wallet after a 402, and sends the call once more. Default: off. */
  readonly topUp?: { readonly amountUsd: number; readonly maxUsdPerDay: number }
  /** The name in the statement that the wallet signs. Default: Farebox. */
  readonly serviceName?: string
  /** `false` turns retries off. */
  readonly retry?: RetryOptions | false
  /** Delays all calls of this object to avoid a 429. `false` turns it off. */
  readonly pace?: PaceOptions | false
  /** Stops before the service blocks a caller whose calls fail. `false` turns it off. */
  readonly guard?: GuardOptions | false
  /**
   * The time limit of each attempt, headers and body, in milliseconds. For audio and video, the
   * time limit for the headers. Default 60,000.
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
  const { apiKey: _given, ...others } = options
  const apiKey = options.apiKey ?? (options.wallet === undefined ? environment['FAREBOX_API_KEY'] : undefined)
  return {
    ...others,
    baseUrl: readBaseUrl(options.baseUrl ?? environment['FAREBOX_BASE_URL']),
    serviceName: options.serviceName ?? 'Farebox',
    timeoutMs: options.timeoutMs ?? 60_000,
    ...(apiKey !== undefined && apiKey !== '' && { apiKey }),
  }
}

function readBaseUrl(value: string | undefined): string {
  if (value === undefined || value === '') {
    throw misconfigured('There is no base URL. Give baseUrl or set FAREBOX_BASE_URL, for instance to http://127.0.0.1:4020/api/v1.')
  }
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw misconfigured(
      `The base URL is not an http or https URL: ${JSON.stringify(withoutUserInfo(value))}. Expected something like http://127.0.0.1:4020/api/v1.`,
    )
  }
  const { username, password } = new URL(value)
  if (username !== '' || password !== '') {
    throw misconfigured('The base URL holds a user name or a password, which fetch refuses. Leave them out, and give apiKey or wallet.')
  }
  if (/[?#]/.test(value)) {
    throw misconfigured('The base URL holds a query or a fragment, which would stand in the midst of every address. Leave it out.')
  }
  return value.replace(/\/+$/, '')
}

/** A URL that is safe to show: the text before an @ may be a password. */
function withoutUserInfo(url: string): string {
  return url.replace(/^(\w+:\/\/)?.*@/s, '$1[hidden]@')
}

function misconfigured(message: string): FareboxError {
  return new FareboxError(message, { code: 'configuration', attempts: 0 })
}

/** Empty in browsers and most workers, which have no `process`. */
function processEnvironment(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }
  return process?.env ?? {}
}
