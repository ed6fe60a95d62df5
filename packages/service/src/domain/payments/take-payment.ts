import type { Credited, Ledger } from '../ledger/ledger.js'
import type { PaymentUse } from '../ledger/ledger-types.js'
import type { Bought, PaymentBackend, Settlement, VerifiedPayment } from './payment-backend.js'
import { paymentId } from './payment-id.js'

/** The outcome of a payment. */
export type TakenPayment =
  | { readonly status: 'credited'; readonly credited: Credited }
  /** Another payment has the use that was given. */
  | { readonly status: 'other payment' }
  | Exclude<Settlement, { readonly status: 'settled' }>

/**
 * Settles and credits a payment. One statement credits it and claims its nonce, with its use, so
 * that repeats and parallel requests credit it once and get the same credit.
 */
export async function takePayment(
  payment: VerifiedPayment,
  { payments, ledger }: { readonly payments: PaymentBackend; readonly ledger: Pick<Ledger, 'creditPayment'> },
  bought: Bought,
  use?: PaymentUse,
): Promise<TakenPayment> {
  const settlement = await payments.settle(payment, bought)
  if (settlement.status !== 'settled') return settlement
  const { network, asset, payer, nonce, amount } = payment
  const { transaction } = settlement
  const settled = { id: paymentId(payment), network, asset, payer, nonce, amount, settledBy: payments.name, transaction }
  const credited = await ledger.creditPayment(settled, use)
  return credited ? { status: 'credited', credited } : { status: 'other payment' }
}
