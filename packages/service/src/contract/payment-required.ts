import { encodeJsonHeader, type PaymentRequirements } from '@farebox/auth/verify'
import { operations, prices, type Operation, type OperationId } from '@farebox/types/operations'
import type { KeyCaller, WalletCaller } from '../domain/accounts/authenticate.js'
import type { InsufficientBalance } from '../domain/ledger/ledger-types.js'
import { formatUsd, toMicroUsd, toUsd, type MicroUsd } from '../domain/ledger/money.js'
import { type Catalogue, findLowestPrice, findHighestPrice } from '../domain/models/catalogue.js'
import { toOffersV1, findRail } from '../domain/payments/payment-rails.js'
import type { Bought, PaymentBackend, UptoPayments } from '../domain/payments/payment-backend.js'
import { minimumTopUp } from '../domain/payments/read-payment.js'
import { minimumUpto } from '../domain/payments/upto-payments.js'
import type { Json } from './catalogue-document.js'
import { accountFrozen, failure, type ResponseHeaders } from './failures.js'
import { type Bazaar, paymentIdentifier } from './x402-extensions.js'

export type PaymentTerms = {
  readonly payments: PaymentBackend
  readonly catalogue: Catalogue
  readonly origin: string
  readonly serviceName: string
  readonly now: () => number
  readonly nonce: () => string
  readonly bazaar: (id: OperationId) => Bazaar
  /** `x-payment-info` of the contract. */
  readonly paymentInfo: (id: OperationId) => Json
}

const suggestedTopUp = toMicroUsd(prices.suggestedTopUpUsd)
const noStore = { 'cache-control': 'no-store' }

/**
 * 402 of a top-up without a payment: the payment options. It does not count as a failure of the
 * caller.
 */
export async function offerTopUp(terms: PaymentTerms, error?: string) {
  return paymentRequired(terms, {
    id: 'topUp',
    amount: findAmount(terms, 'topUp'),
    ...(error !== undefined && { error }),
  })
}

/**
 * 402 for a caller without credentials: how to pay for the request, or get credentials. The first
 * step of a handshake is not a failure of the caller. An operation without a price takes no
 * payment, so it offers none.
 */
export async function credentialsRequired(terms: PaymentTerms, id: OperationId) {
  const isPaid = findLowestPrice(terms.catalogue, id) !== undefined
  return paymentRequired(terms, {
    id,
    ...(isPaid && { amount: findAmount(terms, id), upto: findUptoAmount(terms, id) }),
    error: isPaid
      ? 'Pay with this request, give an API key, or sign in with a wallet that has credit.'
      : 'Give an API key, or sign in with a wallet. This operation takes no payment.',
    ways: listWays(terms),
  })
}

/** 402 for a payment that the request does not accept: the reason, and the accepted payments. */
export async function paymentRejected(
  terms: PaymentTerms,
  id: OperationId,
  error: string,
  price?: MicroUsd,
) {
  const upto = findUptoAmount(terms, id, price)
  const amount = findAmount(terms, id, price)
  return paymentRequired(terms, { id, amount, upto, error, ways: listWays(terms) })
}

/** The payments of the scheme `upto`, if the operation takes them: its price is due after the work. */
export function findUpto(
  { payments, catalogue }: Pick<PaymentTerms, 'payments' | 'catalogue'>,
  id: OperationId,
): UptoPayments | undefined {
  const { billing }: Operation = operations[id]
  // the work of a quote continues after its response
  const isAfterWork = billing !== 'quote' && findLowestPrice(catalogue, id) !== undefined
  return isAfterWork ? payments.upto : undefined
}

/** The maximum that is offered: the price, if it is known. */
function findUptoAmount(
  terms: Pick<PaymentTerms, 'payments' | 'catalogue'>,
  id: OperationId,
  price?: MicroUsd,
): MicroUsd | undefined {
  const upto = findUpto(terms, id)
  if (!upto) return undefined
  const highest = findHighestPrice(terms.catalogue, id) ?? upto.offered
  const most = price ?? (highest < upto.offered ? highest : upto.offered)
  return most > minimumUpto ? most : minimumUpto
}

/** Offers of both schemes. */
async function listOffers(
  terms: Pick<PaymentTerms, 'payments'>,
  amount: MicroUsd,
  upto: MicroUsd | undefined,
): Promise<readonly PaymentRequirements[]> {
  return [...(await terms.payments.offers(amount)), ...listUptoOffers(terms, upto)]
}

function listUptoOffers(
  { payments }: Pick<PaymentTerms, 'payments'>,
  most: MicroUsd | undefined,
): readonly PaymentRequirements[] {
  return most === undefined ? [] : (payments.upto?.offers(most) ?? [])
}

type Offering = {
  readonly id: OperationId
  /** Undefined: there are no offers. */
  readonly amount?: MicroUsd
  /** The maximum of offers of the scheme `upto`. Undefined: there are none. */
  readonly upto?: MicroUsd | undefined
  readonly error?: string
  readonly ways?: ReturnType<typeof listWays>
}

/**
 * The header has the offers of x402 version 2. The body has them in version 1, since clients of
 * version 1 read nothing else. What only people and other clients read is not in the header, because
 * proxies read 4 KiB of headers.
 */
async function paymentRequired(terms: PaymentTerms, { id, amount, upto, error, ways }: Offering) {
  const { origin, bazaar } = terms
  const accepts = amount === undefined ? [] : await listOffers(terms, amount, upto)
  const { billing }: Operation = operations[id]
  const resource = describeResource(origin, id)
  const reason = error !== undefined && { error }
  const extensions = {
    ...ways?.extensions,
    ...(amount !== undefined && { bazaar: bazaar(id) }),
    ...(billing === 'payment' && paymentIdentifier),
  }
  const headers = withHeader({ x402Version: 2, ...reason, resource, accepts, extensions })
  const v1 = accepts.filter(({ scheme }) => scheme === 'exact')
  const json = { x402Version: 1, ...reason, ...ways, accepts: toOffersV1(v1, resource) }
  return { status: 402 as const, json, headers, callersFault: false }
}

/**
 * The amount that pays for any request of the operation, as far as it is known without the body.
 */
function findAmount(
  { catalogue }: Pick<PaymentTerms, 'catalogue'>,
  id: OperationId,
  price = findHighestPrice(catalogue, id),
): MicroUsd {
  const { billing }: Operation = operations[id]
  const needed = price ?? (billing === 'payment' ? minimumTopUp : suggestedTopUp)
  return needed > minimumTopUp ? needed : minimumTopUp
}

/** How to get credentials. */
function listWays(terms: PaymentTerms) {
  return {
    extensions: { 'sign-in-with-x': createChallenge(terms) },
    authOptions: {
      apiKey: { header: 'Authorization' },
      x402Wallet: {
        header: 'SIGN-IN-WITH-X',
        legacyHeader: 'X-Sign-In-With-X',
        topUp: '/api/v1/x402/top-up',
      },
    },
  }
}

/**
 * 402 for a caller whose account, or API key, does not leave enough credit for the price. 403 where
 * the account is frozen.
 */
export async function insufficientBalance(
  { kind }: WalletCaller | KeyCaller,
  terms: PaymentTerms,
  id: OperationId,
  { balance, reason }: InsufficientBalance,
  price: MicroUsd,
) {
  if (reason === 'key revoked') return keyRevoked()
  if (reason === 'frozen') return accountFrozen()
  if (reason !== 'balance') return keyLimitReached(reason)
  return kind === 'wallet'
    ? insufficientWalletBalance(terms, id, balance, price)
    : insufficientKeyBalance()
}

async function insufficientWalletBalance(
  terms: PaymentTerms,
  id: OperationId,
  balance: MicroUsd,
  needed: MicroUsd,
) {
  const missing = needed - balance
  const accepts = await terms.payments.offers(missing > suggestedTopUp ? missing : suggestedTopUp)
  const [first] = accepts
  if (!first) return insufficientKeyBalance()
  const upto = findUptoAmount(terms, id, needed)
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
    supportedChains: [...new Set(accepts.map(({ network }) => findRail(network).chain))],
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
    siwxChallenge: createChallenge(terms),
  }
  const headers = withHeader({
    x402Version: 2,
    error: body.message,
    resource: describeResource(terms.origin, id),
    accepts: [...accepts, ...listUptoOffers(terms, upto)],
  })
  // a 402 that asks for a payment does not count as a failure of the caller
  return { status: 402 as const, json: body, headers, callersFault: false }
}

/**
 * API keys do not pay by x402. Missing credit, like a reached limit, does not count as a failure of
 * the caller.
 */
function insufficientKeyBalance() {
  return {
    ...failure(
      402,
      'The balance of this key is too low for the request.',
      'INSUFFICIENT_BALANCE',
      noStore,
    ),
    callersFault: false,
  }
}

function keyLimitReached(limit: 'key limit usd' | 'key limit diem') {
  const [unit, code] =
    limit === 'key limit usd'
      ? ['USD', 'API_KEY_USD_SPEND_LIMIT_EXCEEDED']
      : ['diem', 'API_KEY_DIEM_SPEND_LIMIT_EXCEEDED']
  const message = `The consumption limit of this key in ${unit} does not leave enough for the request.`
  return { ...failure(402, message, code, noStore), callersFault: false }
}

/**
 * The key was revoked while its request was running. Authentication notices earlier revocations.
 */
function keyRevoked() {
  return failure(401, 'The API key was revoked.', 'AUTHENTICATION_FAILED_INACTIVE_KEY')
}

/** What a payment for an operation buys. */
export function describePurchase({ origin, bazaar }: PaymentTerms, id: OperationId): Bought {
  return { resource: describeResource(origin, id), extensions: { bazaar: bazaar(id) } }
}

function describeResource(origin: string, id: OperationId) {
  const { path, responses, billing }: Operation = operations[id]
  const bought = billing === 'payment' ? '' : ', and this request, which is paid from it'
  const description = `Credit for the wallet that pays${bought}`
  const mimeType = responses['200']?.contentTypes[0] ?? 'application/json'
  return { url: `${origin}/api/v1${path}`, description, mimeType }
}

function withHeader(
  document: { readonly accepts: readonly PaymentRequirements[] } & Readonly<
    Record<string, unknown>
  >,
): ResponseHeaders {
  return { ...noStore, 'payment-required': encodeJsonHeader(document) }
}

/** The fields of a sign-in message that the service accepts, with a fresh nonce. */
function createChallenge({ origin, serviceName, now, nonce }: PaymentTerms) {
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

/**
 * `/.well-known/x402`: what can be paid for, and how. `resources` is what indexers read. `items`
 * has the form of a draft of the x402 foundation. The 402 of a request is the authority.
 */
export async function createPaymentManifest(terms: PaymentTerms) {
  const { catalogue, origin, now, bazaar, paymentInfo } = terms
  const paid = Object.values(operations)
    .filter((operation) => {
      const { billing }: Operation = operation
      return billing === 'payment' || findLowestPrice(catalogue, operation.id) !== undefined
    })
    .map(({ id }) => id)
  const items = await Promise.all(
    paid.map(async (id) => ({
      resource: describeResource(origin, id),
      type: 'http',
      accepts: await listOffers(terms, findAmount(terms, id), findUptoAmount(terms, id)),
      ...bazaar(id).info,
      'x-payment-info': paymentInfo(id),
    })),
  )
  const payable = items.filter(({ accepts }) => accepts.length > 0)
  const resources = payable.map(({ resource }) => resource.url)
  return {
    version: 1,
    x402Version: 2,
    lastUpdated: Math.floor(now() / 1000),
    resources,
    items: payable,
  }
}
