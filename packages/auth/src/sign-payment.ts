import type { Offer } from './choose-offer.js'
import { encodeJsonHeader } from './encode-json-header.js'
import { checksumAddress } from './evm/checksum-address.js'
import { PaymentError } from './payment-error.js'
import type { PaymentRecord } from './payment-store.js'
import type { Offers } from './read-offers.js'
import type { PaymentSigner } from './signer.js'
import { transferTypedData } from './transfer-typed-data.js'

export type SignPaymentOptions = {
  readonly origin: string
  /** Atomic units: what is signed. */
  readonly amount: bigint
  /** Milliseconds since 1970, by the service's clock: what is signed. */
  readonly serviceNow: number
  /** The same moment by our own clock: what is kept. */
  readonly now: number
  /** Fills 32 bytes. */
  readonly random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array
}

/** How long after its end a payment may still show up: clocks of chains differ. */
const grace = 60_000

/** Signs one payment of an offer and gives the record of it. The header speaks the version that the offer speaks. */
export async function signPayment(
  signer: PaymentSigner,
  { version, echo }: Offers,
  offer: Offer,
  options: SignPaymentOptions,
): Promise<PaymentRecord> {
  const { amount, now, origin, serviceNow } = options
  const validBefore = Math.floor(serviceNow / 1000) + offer.timeoutSeconds
  const authorization = {
    from: checksumAddress(signer.address),
    to: checksumAddress(offer.payTo),
    value: String(amount),
    validAfter: '0',
    validBefore: String(validBefore),
    nonce: hexOf(options.random(new Uint8Array(32))),
  }
  const signature = await signed(signer, transferTypedData(offer.contract, authorization))
  const payload = { signature, authorization }
  const document =
    version === 2
      ? { x402Version: 2, ...echo, accepted: { ...offer.entry, amount: String(amount) }, payload }
      : { x402Version: 1, scheme: 'exact', network: offer.entry['network'], payload }
  return {
    nonce: authorization.nonce,
    origin,
    payer: authorization.from,
    amount: authorization.value,
    headerName: version === 2 ? 'PAYMENT-SIGNATURE' : 'X-PAYMENT',
    header: encodeJsonHeader(document),
    signedAt: now,
    heldUntil: now + offer.timeoutSeconds * 1000 + grace,
    state: 'unknown',
  }
}

async function signed(signer: PaymentSigner, typedData: Parameters<PaymentSigner['signTypedData']>[0]): Promise<string> {
  try {
    return await signer.signTypedData(typedData)
  } catch (cause) {
    throw new PaymentError('signing_failed', `Payment: the wallet ${signer.address} did not sign the authorization`, { cause })
  }
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
