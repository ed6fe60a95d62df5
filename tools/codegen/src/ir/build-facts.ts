import { show } from '../diagnostics.js'
import { isList, isObject, pointerTo, type Json, type JsonObject } from '../document/json.js'
import type { PaymentInfo, Response } from './api.js'
import { readExtensions, type Context, type Found } from './build-context.js'

type Fact = {
  readonly expected: string
  readonly holds: (value: Json, responses: readonly Response[]) => boolean
}

/** The `x-` fields of an operation that generated code acts on. */
const facts: Readonly<Record<string, Fact>> = {
  'x-idempotent': { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
  'x-rate-limit': {
    expected: 'the name of a class of limits',
    holds: (value) => typeof value === 'string',
  },
  'x-price-usd': {
    expected: 'a number of USD',
    holds: (value) => typeof value === 'number' && value >= 0,
  },
  'x-max-file-bytes': {
    expected: 'a number of bytes for each field that takes a file',
    holds: (value) =>
      isObject(value) &&
      Object.values(value).every((bytes) => Number.isSafeInteger(bytes) && Number(bytes) > 0),
  },
  'x-payment-info': {
    expected: 'a payment (`amount`, `currency`, `intent`, `method`), or `offers` with these',
    holds: (value) =>
      isObject(value) && (isList(value['offers']) ? value['offers'] : [value]).every(isPayment),
  },
  'x-max-body-bytes': {
    expected: 'a number of bytes',
    holds: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  },
  'x-discovery': {
    expected: 'a status that the operation declares',
    holds: (value, responses) => responses.some(({ status }) => status === value),
  },
}

function isPayment(value: Json): boolean {
  if (!isObject(value)) return false
  const { amount } = value
  return amount == null || (typeof amount === 'string' && /^(?:0|[1-9]\d*)$/.test(amount))
}

/** The `x-` fields of an operation. A fact with an invalid value is reported and left out. */
export function buildFacts(
  context: Context,
  { node, pointer }: Found<JsonObject>,
  responses: readonly Response[],
): Readonly<Record<string, Json>> {
  const isValid = ([name, value]: readonly [string, Json]) => {
    const fact = Object.hasOwn(facts, name) ? facts[name] : undefined
    if (fact === undefined || fact.holds(value, responses)) return true
    context.report('FB4017', pointerTo(pointer, name), show(value), fact.expected)
    return false
  }
  return Object.freeze(Object.fromEntries(Object.entries(readExtensions(node)).filter(isValid)))
}

type Range = { readonly min: number | undefined; readonly max: number | undefined }

/** The payment of an operation with `x-payment-info`. */
export function buildPayment(info: Json | undefined): PaymentInfo | undefined {
  if (!isObject(info)) return undefined
  const { offers, price, protocols } = info
  const ranges = isObject(price)
    ? [readPrice(price)]
    : (isList(offers) ? offers : [info]).map(readOffer)
  const mins = ranges.map(({ min }) => min)
  const maxes = ranges.map(({ max }) => max)
  const min = mins.every((value) => value !== undefined) ? Math.min(...mins) : undefined
  const max = maxes.every((value) => value !== undefined) ? Math.max(...maxes) : undefined
  return {
    ...(max !== undefined && { maxUsd: max }),
    ...(max !== undefined && info['amount'] !== null && { capUsd: max }),
    ...(min !== undefined && min !== max && { minUsd: min }),
    protocols: isList(protocols) ? protocols.filter((name) => typeof name === 'string') : [],
  }
}

/** `{ mode: 'fixed', amount }` or `{ mode: 'dynamic', min?, max? }`, in USD by default. */
function readPrice({ currency = 'USD', amount, min, max }: Readonly<Record<string, Json>>): Range {
  if (currency !== 'USD' && currency !== 'USDC') return unknown
  const fixed = readDecimal(amount)
  return fixed === undefined
    ? { min: readDecimal(min), max: readDecimal(max) }
    : { min: fixed, max: fixed }
}

/** `amount` is in units of the token: USDC has six decimals, and those of others are unknown. */
function readOffer(offer: Json): Range {
  if (!isObject(offer) || offer['currency'] !== 'USDC') return unknown
  const units = readDecimal(offer['amount'])
  const usd = units === undefined ? undefined : units / 1e6
  return { min: usd, max: usd }
}

const unknown: Range = { min: undefined, max: undefined }

function readDecimal(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 0 && Number.isFinite(number) ? number : undefined
}
