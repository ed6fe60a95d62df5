import {
  memoryPaymentStore,
  requireSecure,
  type PaymentSigner,
  type PaymentStore,
  type WalletSigner,
} from '@farebox/auth'
import { generatePrivateKey, privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import { readBaseUrl } from 'farebox'
import { SkipError, type CheckOn } from './check.js'
import { createProbe, type Credential, type Probe } from './probe.js'

/** One requirement of the contract, and its check. */
export type Check = CheckOn<Subject>

/** The service under test, and the resources of the checks. */
export type Subject = {
  readonly probe: Probe
  readonly baseUrl: string
  readonly serviceName: string
  /** A new wallet, unknown to the service. */
  readonly stranger: WalletSigner & PaymentSigner
  /** Another new wallet, on Solana. */
  readonly solanaStranger: WalletSigner
  /** The API key of the options. */
  readonly apiKey?: string
  /** The amount to top up. Default: no payment. */
  readonly topUpUsd?: number
  /** Whether a request may carry a payment of its own. */
  readonly payInline?: boolean
  /** Pays for priced checks; undefined skips them. */
  readonly payer: Payer | undefined
  readonly allowInsecureHttp: boolean
  /** Where payments are recorded. Default: the store of the SDK. */
  readonly store?: PaymentStore
  readonly budget: Budget
  /** For requests that are not operations, such as the download of a video. */
  readonly fetch: typeof globalThis.fetch
}

export type Payer = {
  readonly credential: Credential
  readonly wallet?: WalletSigner & PaymentSigner
}

/** The remaining budget. */
export type Budget = {
  /** Throws `SkipError` if the remaining budget is too small. */
  readonly take: (usd: number) => void
}

/** The service to check, and the resources that the checks may use. */
export type SubjectOptions = {
  /** The base URL of the operations, for instance `https://api.example.com/api/v1`. */
  readonly baseUrl: string
  /** The name of the service in the statement that a wallet signs. Default `Farebox`. */
  readonly serviceName?: string
  /** The key for the checks of API keys. An ADMIN key enables all of them. */
  readonly apiKey?: string
  /** Pays for the priced checks. Without a wallet the API key pays. */
  readonly wallet?: WalletSigner & PaymentSigner
  /** Where the payments of `wallet` are recorded. Default: that of the SDK. */
  readonly store?: PaymentStore
  /** The budget of the checks, in USD. Default: `topUpUsd`, else 0. */
  readonly spendUsd?: number
  /**
   * Credit to buy for the wallet first, in USD; services accept 5 or more. Without a wallet a new
   * one pays. Default: no top-up.
   */
  readonly topUpUsd?: number
  /**
   * Also pays the smallest payment (5 USD) within a request, as credit of the wallet. Without a
   * wallet a new one pays. Default: false.
   */
  readonly payInline?: boolean
  /** Allows `apiKey` and `wallet` by plain HTTP to another machine. Default: false. */
  readonly allowInsecureHttp?: boolean
  /** Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds since 1970, for sign-ins and limits. Default: `Date.now`. */
  readonly now?: () => number
  /** Waits for a limit to pass, or for a video. Default: a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/**
 * Creates the wallets and the probe of one run. Throws `TypeError` for invalid options, a
 * FareboxError for an invalid base URL, and an AuthError for credentials by plain HTTP to
 * another machine.
 */
export function createSubject(options: SubjectOptions, signal: AbortSignal): Subject {
  const {
    serviceName = 'Farebox',
    apiKey,
    wallet,
    topUpUsd,
    spendUsd = topUpUsd ?? 0,
    fetch = globalThis.fetch,
    now,
    wait,
  } = options
  const baseUrl = readBaseUrl(options.baseUrl)
  const allowInsecureHttp =
    options.allowInsecureHttp ?? (apiKey === undefined && wallet === undefined)
  requireSecure(baseUrl, { allowInsecureHttp })
  // a wallet of this run ends with it
  const store = wallet === undefined ? memoryPaymentStore() : options.store
  if (!(spendUsd >= 0))
    throw new TypeError(`spendUsd is ${spendUsd}; expected a number of USD, 0 or more.`)
  return {
    baseUrl,
    serviceName,
    allowInsecureHttp,
    stranger: privateKeySigner(generatePrivateKey()),
    solanaStranger: solanaKeySigner(crypto.getRandomValues(new Uint8Array(32))),
    probe: createProbe({
      baseUrl,
      serviceName,
      signal,
      fetch,
      ...(now && { now }),
      ...(wait && { wait }),
    }),
    payer: createPayer(options),
    budget: createBudget(spendUsd),
    fetch,
    ...(apiKey !== undefined && { apiKey }),
    ...(store !== undefined && { store }),
    ...(topUpUsd !== undefined && { topUpUsd }),
    ...(options.payInline !== undefined && { payInline: options.payInline }),
  }
}

/** Undefined unless `spendUsd`, `topUpUsd` or `payInline` is set. */
function createPayer({
  apiKey,
  wallet,
  spendUsd,
  topUpUsd,
  payInline = false,
}: SubjectOptions): Payer | undefined {
  if (spendUsd === undefined && topUpUsd === undefined && !payInline) return undefined
  const signer =
    wallet ??
    (topUpUsd === undefined && !payInline ? undefined : privateKeySigner(generatePrivateKey()))
  if (signer !== undefined) return { credential: { kind: 'wallet', signer }, wallet: signer }
  if (apiKey !== undefined) return { credential: { kind: 'key', key: apiKey } }
  throw new TypeError(
    'spendUsd is set, but there is no credential to pay with. Set apiKey, wallet or topUpUsd.',
  )
}

function createBudget(usd: number): Budget {
  let remainingUsd = usd
  return {
    take: (price) => {
      if (price > remainingUsd + 1e-9)
        throw new SkipError(
          `it costs ${price} USD, and ${Math.max(0, remainingUsd).toFixed(6)} USD are left to spend`,
        )
      remainingUsd -= price
    },
  }
}
