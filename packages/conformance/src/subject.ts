import type { PaymentSigner, WalletSigner } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import type { Budget, Payer, Subject } from './check.js'
import { Skipped } from './finding.js'
import { createProbe } from './probe.js'

/** The service to check, and what the checks may use on it. */
export type SubjectOptions = {
  /** Where the operations are, for instance `https://api.example.com/api/v1`. */
  readonly baseUrl: string
  /** The name of the service in the statement that a wallet signs. Default `Farebox`. */
  readonly serviceName?: string
  /** Lets the checks of API keys run. An ADMIN key lets all of them run. */
  readonly apiKey?: string
  /** Pays for the checks that cost something. Without a wallet the API key pays. */
  readonly wallet?: WalletSigner & PaymentSigner
  /** The most that the checks may spend, in USD. Default: `topUpUsd`, and without that nothing. */
  readonly spendUsd?: number
  /** Buys this much credit for the wallet first, in USD; services take 5 or more. Without a wallet a new one pays. Default: no top-up. */
  readonly topUpUsd?: number
  /** Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch
}

/** Makes the wallets and the probe of one run. Throws `TypeError` when the options cannot work. */
export function createSubject(options: SubjectOptions, signal: AbortSignal): Subject {
  const { serviceName = 'Farebox', apiKey, topUpUsd, spendUsd = topUpUsd ?? 0, fetch = globalThis.fetch } = options
  const baseUrl = readBaseUrl(options.baseUrl)
  if (!(spendUsd >= 0)) throw new TypeError(`spendUsd is ${spendUsd}; expected a number of USD, 0 or more.`)
  return {
    baseUrl,
    serviceName,
    stranger: privateKeySigner(generatePrivateKey()),
    solanaStranger: solanaKeySigner(crypto.getRandomValues(new Uint8Array(32))),
    probe: createProbe({ baseUrl, serviceName, signal, fetch }),
    payer: payerOf(options),
    budget: budgetOf(spendUsd),
    fetch,
    ...(apiKey !== undefined && { apiKey }),
    ...(topUpUsd !== undefined && { topUpUsd }),
  }
}

function readBaseUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new TypeError(`baseUrl is ${JSON.stringify(value)}; expected a URL such as https://api.example.com/api/v1.`)
  }
  return value.replace(/\/+$/, '')
}

/** Nothing pays unless `spendUsd` or `topUpUsd` is set. */
function payerOf({ apiKey, wallet, spendUsd, topUpUsd }: SubjectOptions): Payer | undefined {
  if (spendUsd === undefined && topUpUsd === undefined) return undefined
  const signer = wallet ?? (topUpUsd === undefined ? undefined : privateKeySigner(generatePrivateKey()))
  if (signer !== undefined) return { credential: { kind: 'wallet', signer }, wallet: signer }
  if (apiKey !== undefined) return { credential: { kind: 'key', key: apiKey } }
  throw new TypeError('spendUsd is set, but there is no credential to pay with. Set apiKey, wallet or topUpUsd.')
}

function budgetOf(usd: number): Budget {
  let left = usd
  return {
    take: (price) => {
      if (price > left + 1e-9) throw new Skipped(`it costs ${price} USD, and ${Math.max(0, left).toFixed(6)} USD are left to spend`)
      left -= price
    },
  }
}
