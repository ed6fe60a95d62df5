import type { PaymentInfo } from '../ir/api.js'

/** The sentence of a doc comment. */
export function describePayment({ maxUsd, minUsd, protocols }: PaymentInfo): string {
  const by = protocols.length === 0 ? '' : ` (${protocols.join(', ')})`
  if (maxUsd === undefined)
    return minUsd === undefined
      ? `Can be paid per call${by}: the response 402 states the price.`
      : `Costs at least ${minUsd} USD${by}: the response 402 states the price.`
  return `Costs ${minUsd === undefined ? '' : `${minUsd} to `}${maxUsd} USD${by}.`
}
