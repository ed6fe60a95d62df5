import { operations, type Operation } from '@farebox/types/operations'
import { lowestPrice } from '../domain/models/catalogue.js'
import { amountFor, describeResource, type PaymentTerms } from './payment-required.js'

/**
 * `/.well-known/x402`: what can be paid for, and how. `resources` is what indexers read. `items`
 * has the form of a draft of the x402 foundation. The 402 of a request is the authority.
 */
export async function paymentManifest(terms: PaymentTerms) {
  const { payments, catalogue, origin, now, bazaar, paymentInfo } = terms
  const paid = Object.values(operations)
    .filter((operation) => {
      const { billing }: Operation = operation
      return billing === 'payment' || lowestPrice(catalogue, operation.id) !== undefined
    })
    .map(({ id }) => id)
  const items = await Promise.all(
    paid.map(async (id) => ({
      resource: describeResource(origin, id),
      type: 'http',
      accepts: await payments.offers(amountFor(terms, id)),
      ...bazaar(id).info,
      'x-payment-info': paymentInfo(id),
    })),
  )
  const payable = items.filter(({ accepts }) => accepts.length > 0)
  const resources = payable.map(({ resource }) => resource.url)
  return {
    version: 1,
    x402Version: 2,
    lastUpdated: Math.floor(now() / 1000),
    resources,
    items: payable,
  }
}
