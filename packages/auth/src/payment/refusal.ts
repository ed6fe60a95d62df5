import { isRecord, readAhead } from '@farebox/middleware'
import { decodeJsonHeader } from '../encoding.js'
import { hideSecrets } from '../clean-cause.js'
import type { PaymentRecord } from './payment-store.js'
import { parseJson } from '../read-body.js'

/** Why a service refused a payment. */
export type Refusal = {
  /** The service's reason, cut to one short line. */
  readonly reason: string | undefined
  /** Whether the reason proves that the payment was not submitted to the chain. */
  readonly isProof: boolean
}

/**
 * Reasons that prove that nothing was submitted: faults in the bytes of a payment, which a verifier
 * finds before any settlement, at any time. They are codes of x402, of its reference
 * implementation, and of our own service.
 *
 * Reasons that depend on the chain or the time (funds, a used nonce, an expired authorization, a
 * failed simulation) prove nothing: they also apply to a payment that was submitted, or that may be
 * submitted later. Nor do reasons that are not listed.
 */
const permanentReasons = new RegExp(
  `^(?:${[
    'invalid_(?:payload|x402_version|scheme|network|asset|payment_requirements)',
    'unsupported_(?:scheme|network|token)',
    'invalid_exact_evm_(?:payload_)?(?:signature|recipient_mismatch|network_mismatch|authorization_value_mismatch)',
    'invalid_exact_evm_(?:missing_eip712_domain|token_(?:name|version)_mismatch)',
    'invalid_exact_svm_payload_[a-z_]+',
    'invalid_exact_svm_fee_payer_(?:mismatch|not_managed_by_facilitator)',
    'invalid_payment_(?:format|recipient|payer)',
    'invalid_amount',
    'amount_too_(?:low|high)',
    'payment_header_not_accepted',
  ].join('|')})$`,
  'i',
)

/**
 * Reads why a service refused a payment. The first reason counts, in this order: the settlement,
 * the error's details, the body, the offers of a 402, the error. The returned response has its whole
 * body.
 */
export async function readRefusal(
  original: Response,
): Promise<{ readonly refusal: Refusal; readonly response: Response }> {
  const { text, response } = await readAhead(original, 65_536)
  const settlement = decodeSettlement(response)
  const required = decodeJsonHeader(response.headers.get('payment-required'))
  const body = Object(parseJson(text)) as Readonly<Record<string, unknown>>
  const details = isRecord(body['details']) ? body['details'] : {}
  const reasons = [
    settlement?.['errorReason'],
    details['reason'],
    body['reason'],
    required?.['error'],
    body['code'],
    body['error'],
  ]
  const reason = reasons.find((text): text is string => typeof text === 'string' && text !== '')
  // a failed settlement that names a transaction has submitted it
  const isProof =
    reason !== undefined &&
    permanentReasons.test(reason) &&
    !settlement?.['transaction'] &&
    settlement?.['success'] !== true
  return {
    refusal: {
      reason: reason && hideSecrets(reason.replace(/[^\x20-\x7e]/g, ' ')).slice(0, 200),
      isProof,
    },
    response,
  }
}

/**
 * What the settlement in a response says about a payment. One with another payer, network or amount
 * belongs to another payment, as when a cache repeats a response. Undefined without a settlement.
 */
export function readSettlement(
  response: Response,
  { payer, network, amount, scheme }: PaymentRecord,
): 'settled' | 'not settled' | undefined {
  const settlement = decodeSettlement(response)
  if (!settlement) return undefined
  const isForeign =
    (scheme
      ? !(Number(settlement['amount'] ?? 0) <= Number(amount))
      : isDifferent(settlement['amount'], amount)) ||
    // names of version 1 have no colon; on Solana some services name the fee payer as the payer
    (String(settlement['network']).includes(':') && isDifferent(settlement['network'], network)) ||
    (network.startsWith('eip155:') && isDifferent(settlement['payer'], payer))
  return settlement['success'] === true && !isForeign ? 'settled' : 'not settled'
}

function isDifferent(stated: unknown, expected: string): boolean {
  return (
    typeof stated === 'string' && stated !== '' && stated.toLowerCase() !== expected.toLowerCase()
  )
}

/** The result of the settlement, from a header that a 200 may have too. */
function decodeSettlement({ headers }: Response): Readonly<Record<string, unknown>> | undefined {
  return decodeJsonHeader(headers.get('payment-response') ?? headers.get('x-payment-response'))
}
