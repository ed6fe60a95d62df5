import { isList, isObject } from '../document/json.js'
import type { Json } from '../document/json.js'
import type { PaymentInfo } from './api.js'

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
