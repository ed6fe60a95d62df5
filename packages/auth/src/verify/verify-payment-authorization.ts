import type { PaymentRequirements } from '../payment-requirements.js'
import { matchOffer } from './match-offer.js'
import { refusedPayment } from './payment-verification-error.js'
import type { Rail } from './rail.js'
import { railKindOf, rails } from './rails.js'
import { readEnvelope } from './read-envelope.js'
import type { VerifiedPayment, VerifyPaymentOptions } from './verified-payment.js'

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
  const envelope = readEnvelope(payload)
  const rail: Rail = rails[railKindOf(envelope.network)]
  const signed = rail.read(envelope.payload)
  if (envelope.scheme !== 'exact') throw refusedPayment('unsupported_scheme', 'the scheme is not "exact"')
  const offers = Array.isArray(requirements) ? requirements : [requirements as PaymentRequirements]
  return rail.verify(signed, matchOffer(rail, envelope, offers), options)
}
