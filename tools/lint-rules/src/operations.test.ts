import { expect, it } from 'vitest'
import { changeGood, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it.concurrent('accepts only a verb and its object in camelCase as operationId', async () => {
  const complaints = await lint('operation-id', {
    good,
    snake: changeGood(['paths', '/audio/speech', 'post', 'operationId'], 'create_speech'),
    verbOnly: changeGood(['paths', '/audio/speech', 'post', 'operationId'], 'create'),
    missing: changeGood(['paths', '/audio/speech', 'post', 'operationId'], undefined),
  })

  expect(complaints).toEqual({
    good: [],
    snake: [
      '#/paths/~1audio~1speech/post/operationId: Found the operationId "create_speech": expected a verb and its object in camelCase, such as createSpeech.',
    ],
    verbOnly: [
      '#/paths/~1audio~1speech/post/operationId: Found the operationId "create": expected a verb and its object in camelCase, such as createSpeech.',
    ],
    missing: [
      '#/paths/~1audio~1speech/post: There is no operationId: expected a verb and its object in camelCase, such as createSpeech.',
    ],
  })
})

const at = '#/paths/~1audio~1speech/post'
const changeSpeech = (name: string, value: unknown) =>
  changeGood(['paths', '/audio/speech', 'post', name], value)

/** An operation that costs 0.02 USD, with a description. */
const describeSpeech = (description: string) =>
  changeGood(['paths', '/audio/speech', 'post'], {
    ...good.paths['/audio/speech'].post,
    description,
    'x-price-usd': 0.02,
  })

it.concurrent('requires three facts of each operation: its source, its idempotency, and its rate limit', async () => {
  const complaints = await lint('operation-facts', {
    good,
    withoutSource: changeSpeech('x-provisional', undefined),
    emptySource: changeSpeech('x-provisional', ' '),
    fromElsewhere: changeSpeech('x-provisional', true),
    silent: changeSpeech('x-idempotent', undefined),
    text: changeSpeech('x-idempotent', 'no'),
    unlimited: changeSpeech('x-rate-limit', undefined),
    unknownClass: changeSpeech('x-rate-limit', 'video'),
  })

  const source =
    'false if the interface specification describes the operation completely, otherwise true or a sentence that names the source'
  expect(complaints).toEqual({
    good: [],
    withoutSource: [`${at}: There is no x-provisional: expected ${source}.`],
    emptySource: [`${at}: Found the x-provisional " ": expected ${source}.`],
    fromElsewhere: [],
    silent: [
      `${at}: There is no x-idempotent: expected true if repeating the request does no harm, otherwise false.`,
    ],
    text: [
      `${at}: Found the x-idempotent "no": expected true if repeating the request does no harm, otherwise false.`,
    ],
    unlimited: [
      `${at}: There is no x-rate-limit: expected a class of the table x-rate-limits (audio).`,
    ],
    unknownClass: [
      `${at}: Found the x-rate-limit "video": expected a class of the table x-rate-limits (audio).`,
    ],
  })
})

it.concurrent('validates the price, key, secret and retention fields', async () => {
  const complaints = await lint('operation-facts', {
    byCharacters: changeSpeech('x-billing', 'characters'),
    unknownBilling: changeSpeech('x-billing', 'weight'),
    freeOfCharge: changeSpeech('x-price-usd', 0),
    anotherPrice: describeSpeech('It costs 0.01 USD.'),
    samePrice: describeSpeech('It costs 0.02 USD.'),
    unknownKey: changeSpeech('x-requires', 'ROOT'),
    noSecret: changeSpeech('x-secret-response', false),
    retained: changeSpeech('x-no-retention', false),
    paidWithoutDiscovery: changeSpeech('x-billing', 'payment'),
    discoveryWithoutPayment: changeSpeech('x-discovery', 400),
  })

  expect(complaints).toEqual({
    byCharacters: [],
    unknownBilling: [
      `${at}: Found the x-billing "weight": expected characters, images, payment, quote, seconds or tokens, without x-price-usd.`,
    ],
    freeOfCharge: [`${at}: Found the x-price-usd 0: expected a number of USD above 0.`],
    anotherPrice: [
      `${at}: Found the x-price-usd 0.02: expected the same amount in the description, as 0.02 USD.`,
    ],
    samePrice: [],
    unknownKey: [`${at}: Found the x-requires "ROOT": expected ADMIN.`],
    noSecret: [`${at}: Found the x-secret-response false: expected true, or no field.`],
    retained: [`${at}: Found the x-no-retention false: expected true, or no field.`],
    paidWithoutDiscovery: [
      `${at}: There is no x-discovery: expected a status that the operation declares, because x-billing is payment.`,
    ],
    discoveryWithoutPayment: [
      `${at}: Found the x-discovery 400: expected no field, because x-billing is not payment.`,
    ],
  })
})

it.concurrent('requires an example of every JSON body, and one for each operation', async () => {
  const complaints = await lint('operation-example', {
    good,
    noExample: changeGood(['paths', '/audio/speech', 'post', 'requestBody'], {
      content: { 'application/json': { schema: { type: 'object' } } },
    }),
    onlyBytes: changeGood(['paths', '/audio/speech', 'post'], {
      operationId: 'createSpeech',
      responses: {
        '200': {
          description: 'Audio.',
          content: { 'audio/mpeg': { schema: { type: 'string', format: 'binary' } } },
        },
      },
    }),
  })

  expect(complaints).toEqual({
    good: [],
    noExample: [
      '#/paths/~1audio~1speech/post/requestBody/content/application~1json: There is no example of application/json here: add one below spec/examples.',
    ],
    onlyBytes: [
      '#/paths/~1audio~1speech/post: createSpeech has no example: add one below spec/examples.',
    ],
  })
})

it.concurrent('requires all six rate-limit headers on every response', async () => {
  const complaints = await lint('rate-limit-headers', {
    good,
    none: changeGood(['paths', '/audio/speech', 'post', 'responses', '200', 'headers'], undefined),
    one: changeGood(
      ['paths', '/audio/speech', 'post', 'responses', '400', 'headers', 'x-ratelimit-reset-tokens'],
      undefined,
    ),
  })

  expect(complaints).toEqual({
    good: [],
    none: [
      '#/paths/~1audio~1speech/post/responses/200: The response 200 does not declare x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens: every response carries them, see spec/headers.',
    ],
    one: [
      '#/paths/~1audio~1speech/post/responses/400: The response 400 does not declare x-ratelimit-reset-tokens: every response carries them, see spec/headers.',
    ],
  })
})

const response = ['paths', '/models', 'get', 'responses', '503']

it.concurrent('requires of each operation a 503 that says when to retry', async () => {
  const complaints = await lint('unavailable', {
    good,
    without: changeGood(response, undefined),
    withoutTime: changeGood([...response, 'headers', 'Retry-After'], undefined),
  })

  expect(complaints).toEqual({
    good: [],
    without: [
      '#/paths/~1models/get: The operation does not declare 503: see spec/responses/Unavailable.yaml.',
    ],
    withoutTime: [
      '#/paths/~1models/get/responses/503: The response 503 does not declare Retry-After: see spec/headers/Retry-After.yaml.',
    ],
  })
})
