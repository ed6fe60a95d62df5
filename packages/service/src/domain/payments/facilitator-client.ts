import { findUsdcToken, type PaymentRequirements } from '@farebox/auth/verify'
import { readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/is-record.js'
import { tracedFetch } from '../../platform/telemetry/spans.js'
import { withoutSlashes } from '../../platform/upstream/upstream-settings.js'
import type { Bought, VerifiedPayment } from './payment-backend.js'

/** An x402 service that verifies payments and settles them on chain. */
export type Facilitator = {
  /** Base URL of `/supported`, `/verify` and `/settle`. */
  readonly url: string
  /** Bearer key. No error quotes it. */
  readonly key?: string
  readonly fetch?: typeof globalThis.fetch
  readonly timeout?: (milliseconds: number) => AbortSignal
}

/** `lost`: the request may have arrived. `not sent`: it did not. `why` is for the operator. */
export type FacilitatorReply =
  | {
      readonly kind: 'answer'
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
 * 64 KiB.
 */
export function createFacilitatorClient({
  url,
  key,
  fetch,
  timeout = (milliseconds) => AbortSignal.timeout(milliseconds),
}: Facilitator): FacilitatorClient {
  const send = tracedFetch(fetch)
  const base = withoutSlashes(url)
  const headers = {
    accept: 'application/json',
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
      return { kind: 'answer', status: response.status, json: await readJson(response) }
    } catch (error) {
      const code = readTransportCode(error)
      return { kind: neverSent.test(code) ? 'not sent' : 'lost', why: `/${path}: ${code}` }
    }
  }
  return {
    supported: () => call('supported'),
    verify: (body) => call('verify', body),
    settle: (body) => call('settle', body),
  }
}

/** Failures before a connection. */
const neverSent = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$|CERT/

/** The system's code, since messages may quote the request. */
function readTransportCode(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return one.code
    if (one.name === 'TimeoutError' || one.name === 'AbortError') return 'timed out'
  }
  return 'the connection failed'
}

/** Undefined for a body that is too large or is no JSON object. */
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
 * never the envelope of the client.
 */
export function facilitatorRequest(
  payment: VerifiedPayment,
  requirements: PaymentRequirements,
  version: 1 | 2,
  bought: Bought,
): string {
  const { scheme, network, amount, ...terms } = requirements
  const { payload } = payment
  const { url, description, mimeType } = bought.resource
  if (version === 2) {
    const paymentPayload = { x402Version: 2, ...bought, accepted: requirements, payload }
    return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirements })
  }
  const name = networkV1(network)
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

/** The name of a network in version 1. */
export function networkV1(network: string): string {
  return findUsdcToken(network)?.networkV1 ?? network
}
