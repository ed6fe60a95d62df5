import { paymentRails, readPayees } from '../domain/payments/payment-rails.js'
import type { PayeeOptions } from '../domain/payments/service-rail.js'
import { settlementFault, type Exposure } from './settlement-fault.js'
import type { ServiceOptions } from './service-options.js'

/** The origin of a URL without a path. Throws a RangeError for any other. */
export function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.pathname === '/' && url.search === '' && url.username === '')
    return url.origin
  throw new RangeError(`createService: origin is "${text}", expected scheme, host and port alone, such as http://127.0.0.1:4020`)
}

/** Throws a RangeError for an invalid payee. */
export function payeesOf(options: ServiceOptions): PayeeOptions {
  return readPayees(
    ({ option }) => options[option],
    ({ option, form }, found) => new RangeError(`createService: ${option} is "${found}", expected ${form}`),
  )
}

/**
 * Throws a RangeError unless the options say how payments are settled, where that is needed; so
 * does a later `replace` of the upstreams.
 */
export function requireSettlement(options: ServiceOptions, origin: string): void {
  const { wallets = true, unsettledPayments = false } = options
  const settles = options.facilitator !== undefined || options.payments !== undefined
  const check = (upstreams: Exposure['upstreams']) => {
    const fault = settlementFault({ settles, wallets, unsettledPayments }, { origin, upstreams })
    if (fault !== undefined) throw new RangeError(fault)
  }
  check([])
  options.upstreams?.require(check)
}

/** Throws a RangeError for a facilitator that cannot be used. */
export function readFacilitator({ facilitator, ...options }: ServiceOptions): void {
  if (facilitator === undefined) return
  if (!URL.canParse(facilitator.url)) throw new RangeError('createService: facilitator.url is not a URL')
  const payeeOptions = Object.values(paymentRails).map(({ option }) => option)
  if (payeeOptions.every((option) => options[option] === undefined)) {
    throw new RangeError(`createService: with a facilitator money moves; expected ${payeeOptions.join(' or ')}`)
  }
}
