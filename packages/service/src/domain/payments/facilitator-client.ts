import { type PaymentRequirements, findUsdcToken, rails } from '@farebox/auth/verify'
import { readBounded } from '../../platform/bounded-body.js'
import { wasNeverSent } from '../../platform/never-sent.js'
import { isRecord } from '../../platform/unknown-value.js'
import { createTracedFetch } from '../../platform/telemetry/spans.js'
import { removeTrailingSlashes } from '../../platform/upstream/upstream-settings.js'
import type { Bought, VerifiedPayment } from './payment-backend.js'
import { toNetworkV1, type PaymentRoute, findRail, type PayeeOptions } from './payment-rails.js'

/** An x402 service that verifies payments and settles them on chain. */
export type Facilitator = {
  /** Base URL of `/supported`, `/verify` and `/settle`. */
  readonly url: string
  /** Bearer key. Errors never quote it. */
  readonly key?: string
  readonly fetch?: typeof globalThis.fetch
  readonly timeout?: (milliseconds: number) => AbortSignal
}

/** `lost`: the request may have arrived. `not sent`: it did not. `why` is for the operator. */
export type FacilitatorReply =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly json: Readonly<Record<string, unknown>> | undefined
    }
  | { readonly kind: 'lost' | 'not sent'; readonly why: string }

export type FacilitatorClient = {
  readonly supported: () => Promise<FacilitatorReply>
  readonly verify: (body: string) => Promise<FacilitatorReply>
  readonly settle: (body: string) => Promise<FacilitatorReply>
}

/** Timeouts in milliseconds. A settlement waits for the chain. */
export const facilitatorTimeouts = { supported: 10_000, verify: 10_000, settle: 60_000 } as const

const maxBytes = 65_536

/**
 * Calls a facilitator. Never rejects, follows no redirect (it would get the key) and reads at most
 * 64 KiB. Each call has a connection of its own: a settlement that is sent on an idle one, which the
 * facilitator closes at that moment, may or may not have arrived.
 */
export function createFacilitatorClient({
  url,
  key,
  fetch,
  timeout = (milliseconds) => AbortSignal.timeout(milliseconds),
}: Facilitator): FacilitatorClient {
  const send = createTracedFetch(fetch)
  const base = removeTrailingSlashes(url)
  const headers = {
    accept: 'application/json',
    connection: 'close',
    'content-type': 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
  const call = async (
    path: keyof typeof facilitatorTimeouts,
    body?: string,
  ): Promise<FacilitatorReply> => {
    const method = body === undefined ? 'GET' : 'POST'
    try {
      const signal = timeout(facilitatorTimeouts[path])
      const response = await send(`${base}/${path}`, {
        method,
        headers,
        redirect: 'manual',
        signal,
        ...(body !== undefined && { body }),
      })
      return { kind: 'response', status: response.status, json: await readJson(response) }
    } catch (error) {
      const why = `/${path}: ${readTransportCode(error)}`
      return { kind: wasNeverSent(error) ? 'not sent' : 'lost', why }
    }
  }
  return {
    supported: () => call('supported'),
    verify: (body) => call('verify', body),
    settle: (body) => call('settle', body),
  }
}

/** The system's code, since messages may quote the request. */
function readTransportCode(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return one.code
    if (one.name === 'TimeoutError' || one.name === 'AbortError') return 'timed out'
  }
  return 'the connection failed'
}

/** Undefined for a body that is too large or not a JSON object. */
async function readJson({
  body,
}: Response): Promise<Readonly<Record<string, unknown>> | undefined> {
  const bytes = await readBounded(body, maxBytes)
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(json) ? json : undefined
  } catch {
    return undefined
  }
}

/**
 * The body for `/verify` and `/settle`. It has the verified fields and the service's own terms,
 * never the envelope of the client. `owed` is what is settled of a payment of the scheme `upto`.
 */
export function createFacilitatorRequest(
  payment: VerifiedPayment,
  requirements: PaymentRequirements,
  version: 1 | 2,
  bought: Bought,
  owed?: bigint,
): string {
  const { scheme, network, amount, ...terms } = requirements
  const { payload } = payment
  const { url, description, mimeType } = bought.resource
  if (version === 2) {
    const paymentPayload = { x402Version: 2, ...bought, accepted: requirements, payload }
    const paymentRequirements = { ...requirements, amount: String(owed ?? amount) }
    return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements })
  }
  const name = toNetworkV1(network)
  return JSON.stringify({
    x402Version: 1,
    paymentPayload: { x402Version: 1, scheme, network: name, payload },
    paymentRequirements: {
      scheme,
      network: name,
      maxAmountRequired: amount,
      resource: url,
      description,
      mimeType,
      ...terms,
    },
  })
}

/** A route that a facilitator settles, with the protocol version. */
export type FacilitatorRoute = PaymentRoute & { readonly version: 1 | 2 }

/**
 * The `networks` (CAIP-2) with a payee that `/supported` lists with the scheme. Version 2 is
 * preferred. On Solana the facilitator must name its fee payer, and for `upto` its address.
 */
export function readRoutes(
  supported: Readonly<Record<string, unknown>>,
  networks: readonly string[],
  payees: PayeeOptions,
  scheme: VerifiedPayment['scheme'] = 'exact',
): readonly FacilitatorRoute[] {
  const kinds = Array.isArray(supported['kinds']) ? supported['kinds'].filter(isRecord) : []
  return networks.flatMap((network) => {
    const token = findUsdcToken(network)
    const { option, facilitatorExtra } = findRail(network)
    const payTo = payees[option]
    if (!token || payTo === undefined) return []
    const found = (scheme === 'upto' ? ([2] as const) : ([2, 1] as const)).flatMap((version) =>
      kinds
        .filter((kind) => kind['x402Version'] === version && kind['scheme'] === scheme)
        .filter((kind) => kind['network'] === (version === 2 ? network : token.networkV1))
        .flatMap((kind) => {
          const extra = facilitatorExtra[scheme]?.(isRecord(kind['extra']) ? kind['extra'] : {})
          return extra ? [{ network, payTo, version, extra }] : []
        }),
    )
    return found.slice(0, 1)
  })
}

/** Outcome of a facilitator's reply. `why` is for the operator, `reason` for the payer. */
type Verification =
  | { readonly status: 'valid' }
  | { readonly status: 'invalid'; readonly reason: string }
  | { readonly status: 'unavailable'; readonly why: string }

type SettlementOutcome =
  | { readonly status: 'settled'; readonly transaction: string }
  | { readonly status: 'failed'; readonly reason: string }
  /** The facilitator did not act, so nothing was moved. */
  | { readonly status: 'unavailable'; readonly why: string }
  | { readonly status: 'unknown'; readonly why: string }

/** What a reply must name. */
type ExpectedPayment = Pick<VerifiedPayment, 'kind' | 'payer' | 'network' | 'amount'>

export function checkVerification(reply: FacilitatorReply, payment: ExpectedPayment): Verification {
  if (reply.kind !== 'response') return { status: 'unavailable', why: reply.why }
  const { status, json } = reply
  if (json?.['isValid'] === false && status < 500)
    return {
      status: 'invalid',
      reason: readReason(json['invalidReason'], 'unexpected_verify_error'),
    }
  if (status !== 200 || json?.['isValid'] !== true)
    return { status: 'unavailable', why: `/verify: status ${status}` }
  return isPayer(json['payer'], payment)
    ? { status: 'valid' }
    : { status: 'unavailable', why: '/verify: it names another payer' }
}

/**
 * `settled` and `failed` need an explicit response for this payment. Any other response is unknown
 * if the facilitator may have acted. So is a rejection that names a transaction, or whose reason also
 * fits a payment in progress.
 */
export function checkSettlement(
  reply: FacilitatorReply,
  payment: ExpectedPayment,
): SettlementOutcome {
  if (reply.kind !== 'response')
    return { status: reply.kind === 'lost' ? 'unknown' : 'unavailable', why: reply.why }
  const { status, json } = reply
  if (status === 200 && json?.['success'] === true) return checkSuccess(json, payment)
  if (status >= 500 || mayBeUnderWay.has(status))
    return { status: 'unknown', why: `/settle: status ${status}` }
  if (json?.['success'] === false) {
    const reason = readReason(json['errorReason'], 'unexpected_settle_error')
    // some report a transaction whose receipt they could not read in time as one that failed
    return isTransaction(json['transaction']) || underWay.test(reason)
      ? { status: 'unknown', why: `/settle: ${reason}` }
      : { status: 'failed', reason }
  }
  if (status >= 300) return { status: 'unavailable', why: `/settle: status ${status}` }
  return { status: 'unknown', why: `/settle: status ${status} without a settlement` }
}

/** Request timeout, conflict. */
const mayBeUnderWay = new Set([408, 409])
const underWay = /pending|duplicate|already|nonce_used|time_?d?_?out|transaction_state|unexpected/i

function checkSuccess(
  json: Readonly<Record<string, unknown>>,
  payment: ExpectedPayment,
): SettlementOutcome {
  const { transaction } = json
  const [network, amount] = [readNamed(json['network']), readNamed(json['amount'])]
  const reportMismatch = (what: string) => ({
    status: 'unknown' as const,
    why: `/settle: it names ${what}`,
  })
  if (
    network !== undefined &&
    network !== payment.network &&
    network !== toNetworkV1(payment.network)
  )
    return reportMismatch('another network')
  if (amount !== undefined && amount !== String(payment.amount))
    return reportMismatch('another amount')
  if (!isPayer(json['payer'], payment)) return reportMismatch('another payer')
  if (!isTransaction(transaction)) return reportMismatch('no transaction')
  return { status: 'settled', transaction }
}

function isTransaction(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-zA-Z]{32,128}$/.test(value)
}

/** The payer is optional. */
function isPayer(
  value: unknown,
  { kind, payer }: Pick<ExpectedPayment, 'kind' | 'payer'>,
): boolean {
  const named = readNamed(value)
  return named === undefined || (typeof named === 'string' && rails[kind].isSame(named, payer))
}

/** Undefined for a field that names nothing: some facilitators write null or '' for one. */
function readNamed(value: unknown): unknown {
  return value === null || value === '' ? undefined : value
}

/** Only codes in the form of x402 go to the payer. */
function readReason(reason: unknown, otherwise: string): string {
  return typeof reason === 'string' &&
    /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(reason) &&
    reason.length <= 120
    ? reason
    : otherwise
}
