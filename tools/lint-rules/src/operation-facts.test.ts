import { expect, it } from 'vitest'
import { changed, good } from '../test/document.js'
import { lint } from '../test/lint.js'

const at = '#/paths/~1audio~1speech/post'
const speech = (name: string, value: unknown) =>
  changed(['paths', '/audio/speech', 'post', name], value)

/** An operation that costs 0.02 USD, with a description. */
const described = (description: string) =>
  changed(['paths', '/audio/speech', 'post'], {
    ...good.paths['/audio/speech'].post,
    description,
    'x-price-usd': 0.02,
  })

it('requires three facts of each operation: its source, whether a repeat does harm, and its rate limit', async () => {
  const complaints = await lint('operation-facts', {
    good,
    withoutSource: speech('x-provisional', undefined),
    emptySource: speech('x-provisional', ' '),
    fromElsewhere: speech('x-provisional', true),
    silent: speech('x-idempotent', undefined),
    text: speech('x-idempotent', 'no'),
    unlimited: speech('x-rate-limit', undefined),
    unknownClass: speech('x-rate-limit', 'video'),
  })

  const source =
    'false when the interface specification describes the operation completely, else a sentence that names the source, or true'
  expect(complaints).toEqual({
    good: [],
    withoutSource: [`${at}: There is no x-provisional: expected ${source}.`],
    emptySource: [`${at}: Found the x-provisional " ": expected ${source}.`],
    fromElsewhere: [],
    silent: [
      `${at}: There is no x-idempotent: expected true when a second send does no harm, else false.`,
    ],
    text: [
      `${at}: Found the x-idempotent "no": expected true when a second send does no harm, else false.`,
    ],
    unlimited: [
      `${at}: There is no x-rate-limit: expected a class of the table x-rate-limits (audio).`,
    ],
    unknownClass: [
      `${at}: Found the x-rate-limit "video": expected a class of the table x-rate-limits (audio).`,
    ],
  })
})

it('checks what is said of price, key, secret and retention', async () => {
  const complaints = await lint('operation-facts', {
    byCharacters: speech('x-billing', 'characters'),
    unknownBilling: speech('x-billing', 'weight'),
    freeOfCharge: speech('x-price-usd', 0),
    anotherPrice: described('It costs 0.01 USD.'),
    samePrice: described('It costs 0.02 USD.'),
    unknownKey: speech('x-requires', 'ROOT'),
    noSecret: speech('x-secret-response', false),
    retained: speech('x-no-retention', false),
    paidWithoutDiscovery: speech('x-billing', 'payment'),
    discoveryWithoutPayment: speech('x-discovery', 400),
  })

  expect(complaints).toEqual({
    byCharacters: [],
    unknownBilling: [
      `${at}: Found the x-billing "weight": expected characters, images, payment, quote, seconds or tokens, and no x-price-usd beside it.`,
    ],
    freeOfCharge: [`${at}: Found the x-price-usd 0: expected a number of USD above 0.`],
    anotherPrice: [
      `${at}: Found the x-price-usd 0.02: expected the same amount in the description, as 0.02 USD.`,
    ],
    samePrice: [],
    unknownKey: [`${at}: Found the x-requires "ROOT": expected ADMIN.`],
    noSecret: [`${at}: Found the x-secret-response false: expected true, or no such field.`],
    retained: [`${at}: Found the x-no-retention false: expected true, or no such field.`],
    paidWithoutDiscovery: [
      `${at}: There is no x-discovery: expected a status that the operation declares, since x-billing is payment.`,
    ],
    discoveryWithoutPayment: [
      `${at}: Found the x-discovery 400: expected no such field, since x-billing is not payment.`,
    ],
  })
})
