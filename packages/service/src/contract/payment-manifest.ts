import { operations, type OperationId } from '@farebox/types/operations'
import { billingOf, leastPriceOf } from '../domain/models/prices.js'
import { amountFor, resourceOf, type PaymentTerms } from './payment-required.js'

/**
 * `/.well-known/x402`: what can be paid for, and how. `resources` is what indexers read. `items`
 * has the form of a draft of the x402 foundation. The 402 of a request is the authority.
 */
export async function paymentManifest({ payments, origin, now, bazaar }: PaymentTerms) {
  const paid = Object.values(operations)
    .map(({ id }) => id)
    .filter(takesPayment)
  const items = await Promise.all(
    paid.map(async (id) => ({
      resource: resourceOf(origin, id),
      type: 'http',
      accepts: await payments.offers(amountFor(id)),
      ...bazaar(id).info,
    })),
  )
  const resources = items.map(({ resource }) => resource.url)
  return { version: 1, x402Version: 2, lastUpdated: Math.floor(now() / 1000), resources, items }
}

function takesPayment(id: OperationId): boolean {
  return billingOf(id) === 'payment' || leastPriceOf(id) !== undefined
}
