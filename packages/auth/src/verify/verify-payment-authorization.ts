import type { PaymentRequirements } from '../payment-requirements.js'
import { matchOffer } from './match-offer.js'
import { refusedPayment } from './payment-verification-error.js'
import { readPaymentPayload } from './read-payment-payload.js'
import type { VerifiedPayment, VerifyPaymentOptions } from './verified-payment.js'
import { verifyEvmPayment } from './verify-evm-payment.js'
import { verifySolanaPayment } from './verify-solana-payment.js'

/**
 * Verifies an x402 payment of scheme "exact" with USDC against the server's offers. EVM: envelope,
 * scheme, network, asset, payee, amount, times and signature. Solana: the same for the transaction,
 * each instruction, the signers, and that the fee payer can lose only the fee. `payload` is the
 * decoded header, in any of three envelopes. Makes no call to a chain: the settlement finds a
 * missing balance, a used nonce or an old blockhash. Throws a PaymentVerificationError for every
 * refusal.
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
