import type { Fault } from '../fault.js'
import type { Scenario } from '../play.js'
import {
  hasErrorAfter,
  get,
  rejectsPartialResponse,
  ok,
  createErrorFault,
  sends,
  hasValueAfter,
} from './words.js'

const expectOneRequest = (status: number, why: string): Scenario => ({
  title: `POST, ${status}: once, ${why}`,
  script: () => [createErrorFault(status), ok],
  right: hasErrorAfter(1),
})

const expectNoValue = (what: string, fault: Fault): Scenario => ({
  title: `GET, ${what}: no value`,
  script: () => [fault],
  run: get,
  right: ({ outcome }) => outcome === 'error',
})

const body = (
  text: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Fault => ({ kind: 'response', body: text, headers })

/**
 * What becomes of a response that came: 429, 500 and 503 are repeated, as the contract says, and
 * nothing but the contract's JSON is a value.
 */
export const responses: readonly Scenario[] = [
  ...[429, 500, 503].map((status): Scenario => ({
    title: `POST, ${status} then 200: twice, as the contract says`,
    script: () => [createErrorFault(status), ok],
    right: hasValueAfter(2),
  })),
  {
    title: 'GET, 503 then 200: twice',
    script: () => [createErrorFault(503), ok],
    run: get,
    right: hasValueAfter(2),
  },
  {
    title: 'GET, 502 then 200: twice, or an error',
    script: () => [createErrorFault(502), ok],
    run: get,
    right: rejectsPartialResponse,
  },
  expectOneRequest(400, 'it stays wrong'),
  expectOneRequest(401, 'the key stays wrong'),
  expectOneRequest(402, 'nobody has paid'),
  expectOneRequest(403, 'it stays forbidden'),
  expectOneRequest(404, 'it stays away'),
  expectOneRequest(408, 'the contract does not call it transient'),
  expectOneRequest(409, 'somebody has to agree first'),
  expectOneRequest(502, 'it may have been done'),
  expectOneRequest(504, 'it may have been done'),
  {
    title: 'POST, 500 again and again: ends after few attempts',
    script: () => [createErrorFault(500)],
    right: ({ heard, outcome }) => outcome === 'error' && heard.length > 1 && heard.length <= 5,
  },
  {
    title: 'POST, 503 twice: the same Idempotency-Key and the same body each time',
    script: () => [createErrorFault(503), createErrorFault(503), ok],
    right: (seen) => {
      const keys = seen.heard.map(({ headers }) => headers['idempotency-key'])
      return (
        hasValueAfter(3)(seen) &&
        keys[0] !== undefined &&
        new Set(keys).size === 1 &&
        new Set(seen.heard.map((one) => one.body)).size === 1
      )
    },
  },
  {
    title: 'POST, 503 whose body drips: twice, and its connection is given back',
    script: () => [{ kind: 'slow-body', ms: 10, status: 503 }, ok],
    right: hasValueAfter(2),
  },
  {
    title: 'POST, 503 of 320 MiB: twice',
    heavy: true,
    script: () => [{ kind: 'gzip-bomb', status: 503 }, ok],
    right: hasValueAfter(2),
  },
  expectNoValue('a page in HTML with 200', { kind: 'html' }),
  {
    title: 'POST, a page in HTML with 200: once, and no value',
    script: () => [{ kind: 'html' }, ok],
    right: hasErrorAfter(1),
  },
  expectNoValue('an empty body with 200', { kind: 'empty' }),
  expectNoValue('204 where JSON is promised', { kind: 'response', status: 204, body: '' }),
  expectNoValue('JSON that is cut off', body('{"data":[')),
  { ...expectNoValue('JSON of 320 MiB', { kind: 'gzip-bomb' }), heavy: true },
  expectNoValue(
    'a body that is not the gzip it is said to be',
    body('{"data":[]}', { 'content-encoding': 'gzip' }),
  ),
  {
    title: 'GET, redirect to another origin: the key stays here',
    script: (elsewhere) => [{ kind: 'redirect', to: `${elsewhere}/` }],
    run: get,
    right: ({ elsewhere }) =>
      elsewhere.every(({ headers }) => headers['authorization'] === undefined),
  },
  {
    title: 'POST, redirect to another origin: neither key nor request leave',
    script: (elsewhere) => [{ kind: 'redirect', to: `${elsewhere}/` }],
    right: (seen) => sends(1)(seen) && seen.elsewhere.length === 0,
  },
  {
    title: 'GET, redirect to itself without end: an error after few',
    script: () => [{ kind: 'redirect', to: '/api/v1/models', status: 302 }],
    run: get,
    right: ({ heard, outcome }) => outcome === 'error' && heard.length <= 21,
  },
]
