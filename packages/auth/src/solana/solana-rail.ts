import { isRecord } from '@farebox/middleware'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { PaymentError } from '../errors.js'
import {
  createObjection,
  quote,
  type Objection,
  type Offer,
  type PaymentRail,
} from '../payment/payment-rail.js'
import { encodeMessage, type Instruction } from './transaction.js'
import {
  deriveAssociatedTokenAddress,
  computeBudgetProgram,
  findUsdcMint,
  isSolanaAddress,
  memoProgram,
  type UsdcMint,
} from './address.js'

/** Returns the transaction (base64) and its message, not yet signed by the fee payer. */
type SignTransaction = (
  message: Uint8Array,
  network: string,
) => Promise<{ readonly transaction: Uint8Array; readonly message: Uint8Array }>

/** A recent block hash of a network (CAIP-2), in base58. */
export type LatestBlockhash = (network: string) => Promise<string>

/** In milliseconds. A block hash lasts 150 blocks, 60 to 90 s. Twice that, for a slow chain. */
const blockhashLifeMs = 180_000

/** The longest memo that a service may request. A longer one does not fit into a transaction. */
const maxMemoBytes = 256

/**
 * Pays with USDC by a transaction, which the service's fee payer also signs and sends.
 */
export function createSolanaRail(
  payer: string,
  signTransaction: SignTransaction,
  latestBlockhash?: LatestBlockhash,
): PaymentRail {
  return {
    payer,
    networks: ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
    networkOf: (name) => findUsdcMint(name)?.network,
    objection: (entry) => findObjection(entry, payer, latestBlockhash !== undefined),
    isSame: (left, right) => left === right,
    async sign(offer, { amount, now, random }) {
      const mint = findUsdcMint(offer.network)
      const extra = readExtra(offer.entry)
      const { feePayer, memo = bytesToHex(random(new Uint8Array(16))) } = extra
      if (!mint || !isSolanaAddress(feePayer) || typeof memo !== 'string') {
        throw new PaymentError(
          'no_acceptable_offer',
          `Payment: the offer on ${offer.network} lacks fields that a transaction needs`,
        )
      }
      const recentBlockhash = await findBlockhash(offer, extra['recentBlockhash'], latestBlockhash)
      const instructions = createPaymentInstructions({
        mint,
        payer,
        payTo: offer.payTo,
        amount,
        memo,
      })
      const { transaction, message } = await signTransaction(
        encodeMessage({ feePayer, recentBlockhash, instructions }),
        offer.network,
      )
      return {
        nonce: `0x${bytesToHex(sha256(message))}`,
        payload: { transaction: base64.encode(transaction) },
        heldUntil: now + blockhashLifeMs,
      }
    },
  }
}

function findObjection(
  entry: Offer['entry'],
  payer: string,
  hasRpc: boolean,
): Objection | undefined {
  const { network, asset, payTo } = entry
  const { feePayer, memo, recentBlockhash, assetTransferMethod } = readExtra(entry)
  const mint = typeof network === 'string' ? findUsdcMint(network) : undefined
  if (!mint || asset !== mint.asset) return createObjection('the asset is not USDC')
  if (assetTransferMethod !== undefined)
    return createObjection(`it requires ${quote(assetTransferMethod)}, not a transfer of tokens`)
  if (!isSolanaAddress(payTo)) return createObjection('the payee is not an address')
  if (payTo === payer) return createObjection('the payee is the paying wallet')
  if (!isSolanaAddress(feePayer)) return createObjection('the offer names no fee payer')
  if (feePayer === payer) return createObjection('the fee payer is the paying wallet')
  if (
    memo !== undefined &&
    (typeof memo !== 'string' || new TextEncoder().encode(memo).length > maxMemoBytes)
  )
    return createObjection('the memo is too long')
  if (recentBlockhash !== undefined && !isSolanaAddress(recentBlockhash))
    return createObjection('recentBlockhash is not a block hash')
  if (recentBlockhash === undefined && !hasRpc)
    return createObjection(
      'the offer has no recentBlockhash, and the signer has no latestBlockhash',
    )
  return undefined
}

async function findBlockhash(
  { network }: Offer,
  offered: unknown,
  latestBlockhash: LatestBlockhash | undefined,
): Promise<string> {
  if (isSolanaAddress(offered)) return offered
  let blockhash: unknown
  try {
    blockhash = await latestBlockhash?.(network)
  } catch (cause) {
    throw new PaymentError(
      'blockhash_unavailable',
      `Payment: latestBlockhash failed for ${network}`,
      { cause },
    )
  }
  if (isSolanaAddress(blockhash)) return blockhash
  throw new PaymentError(
    'blockhash_unavailable',
    `Payment: latestBlockhash did not return a block hash of ${network}`,
  )
}

function readExtra({ extra }: Offer['entry']): Readonly<Record<string, unknown>> {
  return isRecord(extra) ? extra : {}
}

type TransferTerms = {
  readonly mint: UsdcMint
  readonly payer: string
  readonly payTo: string
  /** Atomic units, within 64 bits. */
  readonly amount: bigint
  /** At most 256 bytes of UTF-8. It makes each payment unique. */
  readonly memo: string
}

/** Services reject a higher limit. A transfer and a memo use about 11,000. */
const computeUnits = 20_000
const microLamports = 1n

/**
 * The instructions of an x402 payment on Solana, in the order that verifiers require: compute unit
 * limit, compute unit price, one checked transfer between the token accounts of the two wallets,
 * one memo.
 */
function createPaymentInstructions({
  mint,
  payer,
  payTo,
  amount,
  memo,
}: TransferTerms): readonly Instruction[] {
  const [limit, price, transfer] = [
    new DataView(new ArrayBuffer(5)),
    new DataView(new ArrayBuffer(9)),
    new DataView(new ArrayBuffer(10)),
  ]
  limit.setUint8(0, 2)
  limit.setUint32(1, computeUnits, true)
  price.setUint8(0, 3)
  price.setBigUint64(1, microLamports, true)
  transfer.setUint8(0, 12)
  transfer.setBigUint64(1, amount, true)
  transfer.setUint8(9, mint.decimals)
  const tokenAccount = (wallet: string) =>
    deriveAssociatedTokenAddress(wallet, mint.asset, mint.tokenProgram)
  return [
    { program: computeBudgetProgram, accounts: [], data: toBytes(limit) },
    { program: computeBudgetProgram, accounts: [], data: toBytes(price) },
    {
      program: mint.tokenProgram,
      accounts: [
        { address: tokenAccount(payer), writable: true },
        { address: mint.asset },
        { address: tokenAccount(payTo), writable: true },
        { address: payer, signer: true },
      ],
      data: toBytes(transfer),
    },
    { program: memoProgram, accounts: [], data: new TextEncoder().encode(memo) },
  ]
}

function toBytes({ buffer }: DataView): Uint8Array {
  return new Uint8Array(buffer)
}
