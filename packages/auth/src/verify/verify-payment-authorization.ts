import type { PaymentRequirements } from '../payment-requirements.js'
import { matchOffer } from './match-offer.js'
import { refusedPayment } from './payment-verification-error.js'
import { readPaymentPayload } from './read-payment-payload.js'
import type { VerifiedPayment, VerifyPaymentOptions } from './verified-payment.js'
import { verifyEvmPayment } from './verify-evm-payment.js'
import { verifySolanaPayment } from './verify-solana-payment.js'

/**
 * Verifies an x402 payment of scheme "exact" with USDC against the offers that the server made. EVM: envelope, scheme, network, asset,
 * payee, amount, times and signature. Solana: the same of the transaction, each instruction of it, who signs, and that the fee payer can
 * lose nothing but the fee. `payload` is the decoded header, in any of three envelopes. Does not touch a chain: balance, used nonces and
 * old blockhashes are for the settlement. Every refusal is a PaymentVerificationError.
 */
export async function verifyPaymentAuthorization(
  payload: unknown,
  requirements: PaymentRequirements | readonly PaymentRequirements[],
  options: VerifyPaymentOptions = {},
): Promise<VerifiedPayment> {
  const payment = readPaymentPayload(payload)
  if (payment.scheme !== 'exact') throw refusedPayment('unsupported_scheme', 'the scheme is not "exact"')
  const { offer, rail } = matchOffer(payment, Array.isArray(requirements) ? requirements : [requirements as PaymentRequirements])
  if (payment.kind === 'evm' && rail.kind === 'evm') return verifyEvmPayment(payment, offer, rail.usdc, options)
  if (payment.kind === 'solana' && rail.kind === 'solana') return verifySolanaPayment(payment, offer, rail.usdc, options)
  throw refusedPayment('invalid_network', 'the payload is for another kind of network')
}
