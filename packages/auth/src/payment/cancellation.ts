import type { PaymentRecord, PaymentStore } from './payment-store.js'
import { PaymentError } from '../errors.js'
import type { EvmPaymentSigner } from './payment-rail.js'
import { findUsdcContract, createUsdcTypedData } from '../evm/usdc.js'

/** A signed cancellation of a payment. The sender of the transaction pays for it. */
export type Cancellation = {
  /** The network of the transaction (CAIP-2). */
  readonly network: string
  /** The USDC contract, to which the transaction goes. */
  readonly to: string
  /** The transaction's data: a call of `cancelAuthorization(authorizer, nonce, v, r, s)`. */
  readonly data: string
  /** The wallet that signed the payment. */
  readonly authorizer: string
  readonly nonce: string
  /** The signature of `CancelAuthorization`, as 0x and hex. */
  readonly signature: string
}

/** The selector of `cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)`. */
const selector = '0x5a049a70'

/**
 * Signs the cancellation of a payment that was rejected or got no response (EIP-3009,
 * `CancelAuthorization`). Once a transaction with `data` is mined, the payment cannot be settled.
 * If the service settled it before, that transaction fails.
 *
 * Throws a PaymentError for a payment of another wallet, for a network without known USDC, and if
 * the wallet does not sign. A payment on Solana expires with its block hash.
 *
 * @example
 * ```ts
 * const { to, data } = await signCancellation(signer, payment)
 * await walletClient.sendTransaction({ to, data })
 * ```
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export async function signCancellation(
  signer: EvmPaymentSigner,
  payment: PaymentRecord,
): Promise<Cancellation> {
  const { network, nonce, payer: authorizer } = payment
  const contract = findUsdcContract(network)
  if (!contract)
    throw new PaymentError(
      'no_acceptable_offer',
      `Cancellation: no USDC contract is known on ${network}`,
    )
  if (signer.address.toLowerCase() !== authorizer.toLowerCase()) {
    throw new PaymentError(
      'signing_failed',
      `Cancellation: the payment belongs to ${authorizer}, and the wallet is ${signer.address}`,
    )
  }
  const fields = [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ]
  const signature = await signer
    .signTypedData(
      createUsdcTypedData(contract, 'CancelAuthorization', fields, { authorizer, nonce }),
    )
    .catch((cause: unknown) => {
      throw new PaymentError(
        'signing_failed',
        `Cancellation: the wallet ${signer.address} did not sign`,
        { cause },
      )
    })
  const [, r, s, v] = /^0x([\da-f]{64})([\da-f]{64})([\da-f]{2})$/i.exec(signature) ?? []
  if (r === undefined || s === undefined || v === undefined) {
    throw new PaymentError(
      'signing_failed',
      'Cancellation: EIP-3009 requires the signature of a key, which has 65 bytes',
    )
  }
  const words = [authorizer.slice(2), nonce.slice(2), v, r, s].map((word) =>
    word.padStart(64, '0').toLowerCase(),
  )
  return {
    network,
    to: contract.asset,
    data: selector + words.join(''),
    authorizer,
    nonce,
    signature,
  }
}

/**
 * The payments in a store that were rejected or got no response and can still be settled, of all
 * wallets and services.
 *
 * @example
 * ```ts
 * const payments = await openPayments(store)
 * for (const { amount, heldUntil } of payments) console.log(amount, new Date(heldUntil))
 * ```
 */
export async function openPayments(
  store: PaymentStore,
  now: () => number = Date.now,
): Promise<readonly PaymentRecord[]> {
  let open: readonly PaymentRecord[] = []
  await store.update((records) => {
    open = records.filter(({ state, heldUntil }) => state !== 'settled' && now() < heldUntil)
    return records
  })
  return open
}

/**
 * Removes the record of a payment whose cancellation was mined. It no longer counts towards the
 * caps, and the next purchase does not resend it.
 *
 * @example
 * ```ts
 * await forgetPayment(store, payment)
 * ```
 */
export async function forgetPayment(
  store: PaymentStore,
  { nonce }: Pick<PaymentRecord, 'nonce'>,
): Promise<void> {
  await store.update((records) => records.filter((record) => record.nonce !== nonce))
}
