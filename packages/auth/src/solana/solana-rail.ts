import { isRecord } from '@farebox/middleware'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { PaymentError } from '../payment/payment-error.js'
import { objectionTo, type Objection, type Offer, type PaymentRail } from '../payment/payment-rail.js'
import { encodeMessage, type Instruction } from './encode-message.js'
import { associatedTokenAddress, computeBudgetProgram, isSolanaAddress, memoProgram } from './address.js'
import { usdcMintOn, type UsdcMint } from './usdc-mints.js'

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

type TransferTerms = {
  readonly mint: UsdcMint
  readonly payer: string
  readonly payTo: string
  /** Atomic units, within 64 bits. */
  readonly amount: bigint
  /** At most 256 bytes of UTF-8. Makes each payment differ from the next. */
  readonly memo: string
}

/** Services refuse a higher limit. A transfer and a memo take about 11,000. */
const computeUnits = 20_000
const microLamports = 1n

/**
 * The instructions of an x402 payment on Solana, in the order that verifiers require: compute unit
 * limit, compute unit price, one checked transfer between the token accounts of the two wallets,
 * one memo.
 */
function paymentInstructions({ mint, payer, payTo, amount, memo }: TransferTerms): readonly Instruction[] {
  const [limit, price, transfer] = [new DataView(new ArrayBuffer(5)), new DataView(new ArrayBuffer(9)), new DataView(new ArrayBuffer(10))]
  limit.setUint8(0, 2)
  limit.setUint32(1, computeUnits, true)
  price.setUint8(0, 3)
  price.setBigUint64(1, microLamports, true)
  transfer.setUint8(0, 12)
  transfer.setBigUint64(1, amount, true)
  transfer.setUint8(9, mint.decimals)
  const tokenAccount = (wallet: string) => associatedTokenAddress(wallet, mint.asset, mint.tokenProgram)
  return [
    { program: computeBudgetProgram, accounts: [], data: bytesOf(limit) },
    { program: computeBudgetProgram, accounts: [], data: bytesOf(price) },
    {
      program: mint.tokenProgram,
      accounts: [
        { address: tokenAccount(payer), writable: true },
        { address: mint.asset },
        { address: tokenAccount(payTo), writable: true },
        { address: payer, signer: true },
      ],
      data: bytesOf(transfer),
    },
    { program: memoProgram, accounts: [], data: new TextEncoder().encode(memo) },
  ]
}

function bytesOf({ buffer }: DataView): Uint8Array {
  return new Uint8Array(buffer)
}
