import { show } from '../diagnostics.js'
import { isList, isObject, pointerTo } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import type { Response } from './api.js'
import { readExtensions } from './build-context.js'
import type { Context, Found } from './build-context.js'

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
