import { encodeJsonHeader, type PaymentRequirements } from '@farebox/auth/verify'
import { prices } from '@farebox/types/operations'
import type { KeyCaller, WalletCaller } from '../domain/accounts/caller.js'
import type { InsufficientBalance } from '../domain/ledger/ledger-types.js'
import { formatUsd, toMicroUsd, toUsd, type MicroUsd } from '../domain/ledger/money.js'
import type { PaymentBackend } from '../domain/payments/payment-backend.js'
import { paymentRailOf } from '../domain/payments/payment-rails.js'
import { failure } from './failures.js'

export type PaymentTerms = {
  readonly payments: PaymentBackend
  readonly origin: string
  readonly serviceName: string
  readonly now: () => number
  readonly nonce: () => string
}

/** The least that can be bought, in micro-USD. */
export const minimumTopUp = toMicroUsd(prices.minimumTopUpUsd)
const suggestedTopUp = toMicroUsd(prices.suggestedTopUpUsd)
const noStore = { 'cache-control': 'no-store' }

/** 402 of a top-up without a payment: what can be paid. To ask is not a failure of the caller. */
export async function topUpDiscovery({ payments, origin }: PaymentTerms) {
  const accepts = await payments.offers(minimumTopUp)
  const headers = withHeader({ x402Version: 2, resource: resourceOf(origin), accepts })
  return { status: 402 as const, json: { x402Version: 2 as const, accepts: [...accepts] }, headers, callersFault: false }
}

/**
 * 402 for a caller without credentials: how to get them. The first step of a handshake is not a
 * failure of the caller.
 */
export async function credentialsRequired(terms: PaymentTerms, url: string) {
  const document = {
    x402Version: 2,
    error: 'Give an API key, or sign in with a wallet that has credit.',
    resource: { url },
    accepts: await terms.payments.offers(suggestedTopUp),
    extensions: { 'sign-in-with-x': challenge(terms) },
    authOptions: {
      apiKey: { header: 'Authorization' },
      x402Wallet: { header: 'SIGN-IN-WITH-X', legacyHeader: 'X-Sign-In-With-X', topUp: '/api/v1/x402/top-up' },
    },
  }
  return { status: 402 as const, json: document, headers: withHeader(document), callersFault: false }
}

/** 402 for a caller whose account, or API key, does not leave enough credit for the price. */
export async function insufficientBalance(
  { kind }: WalletCaller | KeyCaller,
  terms: PaymentTerms,
  { balance, reason }: InsufficientBalance,
  price: MicroUsd,
) {
  if (reason !== 'balance') return keyLimit(reason)
  return kind === 'wallet' ? insufficientWalletBalance(terms, balance, price) : insufficientKeyBalance()
}

async function insufficientWalletBalance(terms: PaymentTerms, balance: MicroUsd, needed: MicroUsd) {
  const accepts = await terms.payments.offers(suggestedTopUp)
  const [first] = accepts
  if (!first) return insufficientKeyBalance()
  const body = {
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    message: `The wallet has ${formatUsd(balance)} USD, the request costs at least ${formatUsd(needed)} USD.`,
    currentBalanceUsd: toUsd(balance),
    minimumBalanceUsd: toUsd(needed),
    suggestedTopUpUsd: prices.suggestedTopUpUsd,
    minimumTopUpUsd: prices.minimumTopUpUsd,
    supportedTokens: ['USDC'],
    supportedChains: [...new Set(accepts.map(({ network }) => paymentRailOf(network).chain))],
    topUpInstructions: {
      step1: 'Call POST /api/v1/x402/top-up without a payment and choose one of the options.',
      step2: 'Sign it with the wallet, by an x402 client.',
      step3: 'Call POST /api/v1/x402/top-up again with the PAYMENT-SIGNATURE header.',
      receiverWallet: first.payTo,
      tokenAddress: first.asset,
      tokenDecimals: 6,
      network: first.network,
      minimumAmountUsd: prices.minimumTopUpUsd,
    },
    siwxChallenge: challenge(terms),
  }
  const headers = withHeader({ x402Version: 2, error: body.message, resource: resourceOf(terms.origin), accepts })
  // a 402 that asks for a payment is an answer, not a failure of the caller
  return { status: 402 as const, json: body, headers, callersFault: false }
}

/** API keys do not pay by x402. */
function insufficientKeyBalance() {
  return failure(402, 'The balance of this key is too low for the request.', 'INSUFFICIENT_BALANCE', noStore)
}

function keyLimit(limit: 'key limit usd' | 'key limit diem') {
  const [unit, code] =
    limit === 'key limit usd' ? ['USD', 'API_KEY_USD_SPEND_LIMIT_EXCEEDED'] : ['diem', 'API_KEY_DIEM_SPEND_LIMIT_EXCEEDED']
  return failure(402, `The consumption limit of this key in ${unit} does not leave enough for the request.`, code, noStore)
}

function resourceOf(origin: string) {
  return { url: `${origin}/api/v1/x402/top-up`, description: 'Credit for the wallet that pays' }
}

function withHeader(document: { readonly accepts: readonly PaymentRequirements[] } & Readonly<Record<string, unknown>>) {
  return { ...noStore, 'PAYMENT-REQUIRED': encodeJsonHeader(document) }
}

/** The fields of a sign-in message that the service accepts, with a fresh nonce. */
function challenge({ origin, serviceName, now, nonce }: PaymentTerms) {
  const time = now()
  return {
    info: {
      domain: new URL(origin).host,
      uri: origin,
      version: '1',
      nonce: nonce(),
      issuedAt: new Date(time).toISOString(),
      expirationTime: new Date(time + 600_000).toISOString(),
      statement: `Sign in to ${serviceName} API`,
    },
    supportedChains: [
      { chainId: 'eip155:8453', type: 'eip191' },
      { chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', type: 'ed25519' },
    ],
  }
}
