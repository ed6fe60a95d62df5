import { isRecord } from '@farebox/middleware'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { PaymentError } from '../payment-error.js'
import { objectionTo, type Objection, type Offer, type PaymentRail } from '../payment-rail.js'
import { encodeMessage } from './encode-message.js'
import { isSolanaAddress } from './is-solana-address.js'
import { paymentInstructions } from './payment-instructions.js'
import { usdcMintOn } from './usdc-mints.js'

/** Returns the transaction (base64) and its message, not yet signed by the fee payer. */
export type SignTransaction = (
  message: Uint8Array,
  network: string,
) => Promise<{ readonly transaction: Uint8Array; readonly message: Uint8Array }>

/** A recent block hash of a network (CAIP-2), in base58. */
export type LatestBlockhash = (network: string) => Promise<string>

/** In milliseconds. A block hash lasts 150 blocks, 60 to 90 s. Twice that, for a slow chain. */
const blockhashLife = 180_000

/** The longest memo that a service may ask for. More does not fit into a transaction. */
const mostMemoBytes = 256

/**
 * Pays with USDC by a transaction, which the service's fee payer also signs and sends.
 */
export function solanaRail(payer: string, signTransaction: SignTransaction, latestBlockhash?: LatestBlockhash): PaymentRail {
  return {
    payer,
    networks: ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
    networkOf: (name) => usdcMintOn(name)?.network,
    objection: (entry) => objection(entry, payer, latestBlockhash !== undefined),
    isSame: (one, other) => one === other,
    async sign(offer, { amount, now, random }) {
      const mint = usdcMintOn(offer.network)
      const extra = extraOf(offer.entry)
      const { feePayer, memo = bytesToHex(random(new Uint8Array(16))) } = extra
      if (!mint || !isSolanaAddress(feePayer) || typeof memo !== 'string') {
        throw new PaymentError('no_acceptable_offer', `Payment: the offer on ${offer.network} lacks what a transaction needs`)
      }
      const recentBlockhash = await blockhash(offer, extra['recentBlockhash'], latestBlockhash)
      const instructions = paymentInstructions({ mint, payer, payTo: offer.payTo, amount, memo })
      const { transaction, message } = await signTransaction(encodeMessage({ feePayer, recentBlockhash, instructions }), offer.network)
      return {
        nonce: `0x${bytesToHex(sha256(message))}`,
        payload: { transaction: base64.encode(transaction) },
        heldUntil: now + blockhashLife,
      }
    },
  }
}

function objection(entry: Offer['entry'], payer: string, hasRpc: boolean): Objection | undefined {
  const { network, asset, payTo } = entry
  const { feePayer, memo, recentBlockhash } = extraOf(entry)
  const mint = typeof network === 'string' ? usdcMintOn(network) : undefined
  if (!mint || asset !== mint.asset) return objectionTo('the asset is not USDC')
  if (!isSolanaAddress(payTo)) return objectionTo('the payee is not an address')
  if (payTo === payer) return objectionTo('the payee is the paying wallet')
  if (!isSolanaAddress(feePayer)) return objectionTo('the offer names no fee payer')
  if (feePayer === payer) return objectionTo('the fee payer is the paying wallet')
  if (memo !== undefined && (typeof memo !== 'string' || new TextEncoder().encode(memo).length > mostMemoBytes))
    return objectionTo('the memo is too long')
  if (recentBlockhash !== undefined && !isSolanaAddress(recentBlockhash)) return objectionTo('recentBlockhash is not the hash of a block')
  if (recentBlockhash === undefined && !hasRpc)
    return objectionTo('the offer has no recentBlockhash, and there is no latestBlockhash to ask for one')
  return undefined
}

async function blockhash({ network }: Offer, offered: unknown, latestBlockhash: LatestBlockhash | undefined): Promise<string> {
  if (isSolanaAddress(offered)) return offered
  let found: unknown
  try {
    found = await latestBlockhash?.(network)
  } catch (cause) {
    throw new PaymentError('blockhash_unavailable', `Payment: latestBlockhash failed for ${network}`, { cause })
  }
  if (isSolanaAddress(found)) return found
  throw new PaymentError('blockhash_unavailable', `Payment: latestBlockhash gave something that is not the hash of a block of ${network}`)
}

function extraOf({ extra }: Offer['entry']): Readonly<Record<string, unknown>> {
  return isRecord(extra) ? extra : {}
}
