import type { Scenario } from '../play.js'
import { hasErrorAfter, get, isWhole, rejectsPartialResponse, ok, hasValueAfter } from './words.js'

const soon = { timeoutMs: 3000 }
const createRawFault = (...lines: readonly string[]) =>
  ({ kind: 'raw', text: lines.join('\r\n') }) as const
const json = 'content-type: application/json'

/**
 * What becomes of a request whose connection, time or framing fails. What costs money is sent once
 * unless it surely was not heard.
 */
export const connection: readonly Scenario[] = [
  {
    title: 'GET, connection reset: twice',
    script: () => [{ kind: 'reset' }, ok],
    run: get,
    right: hasValueAfter(2),
  },
  {
    title: 'POST, connection reset: once, it may have been done',
    script: () => [{ kind: 'reset' }, ok],
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, reset after the headers: no value',
    script: () => [{ kind: 'reset-after-headers' }, ok],
    run: get,
    right: rejectsPartialResponse,
  },
  {
    title: 'POST, reset after the headers: once',
    script: () => [{ kind: 'reset-after-headers' }, ok],
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, reset in the body: no half a value',
    script: () => [{ kind: 'reset-mid-body' }, ok],
    run: get,
    right: rejectsPartialResponse,
  },
  {
    title: 'POST, reset in the body: once',
    script: () => [{ kind: 'reset-mid-body' }, ok],
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, body ends early: no half a value',
    script: () => [{ kind: 'truncated' }, ok],
    run: get,
    right: rejectsPartialResponse,
  },
  {
    title: 'POST, body ends early: once',
    script: () => [{ kind: 'truncated' }, ok],
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, no headers in time: twice',
    script: () => [never, ok],
    run: get,
    limits: soon,
    right: hasValueAfter(2),
  },
  {
    title: 'POST, no headers in time: once',
    script: () => [never, ok],
    limits: soon,
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, slow headers in time: once',
    script: () => [{ kind: 'slow-headers', ms: 100 }],
    run: get,
    right: ({ heard, outcome }) => heard.length === 1 && outcome === 'value',
  },
  {
    title: 'GET, a body without end: ends in time',
    script: () => [{ kind: 'slow-body', ms: 20 }],
    run: get,
    limits: soon,
    right: ({ outcome }) => outcome === 'error',
  },
  {
    title: 'POST, a body without end: once, and ends in time',
    script: () => [{ kind: 'slow-body', ms: 20 }],
    limits: soon,
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, huge headers: twice',
    script: () => [{ kind: 'huge-headers' }, ok],
    run: get,
    right: hasValueAfter(2),
  },
  {
    title: 'POST, huge headers: once',
    script: () => [{ kind: 'huge-headers' }, ok],
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, malformed headers: twice',
    script: () => [{ kind: 'malformed-headers' }, ok],
    run: get,
    right: hasValueAfter(2),
  },
  {
    title: 'POST, malformed headers: once',
    script: () => [{ kind: 'malformed-headers' }, ok],
    right: hasErrorAfter(1),
  },
  {
    title: 'POST, a content-length that is no number: once',
    script: () => [
      createRawFault('HTTP/1.1 200 OK', json, 'content-length: many', '', '{"data":[]}'),
      ok,
    ],
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, a content-length that cuts the body: no half a value',
    script: () => [
      createRawFault(
        'HTTP/1.1 200 OK',
        json,
        'content-length: 5',
        'connection: close',
        '',
        '{"data":[]}',
      ),
    ],
    run: get,
    right: ({ outcome }) => outcome === 'error',
  },
  {
    title: 'POST, broken chunks: once',
    script: () => [
      createRawFault(
        'HTTP/1.1 200 OK',
        json,
        'transfer-encoding: chunked',
        '',
        'zz',
        '{"data":[]}',
        '0',
        '',
        '',
      ),
      ok,
    ],
    right: hasErrorAfter(1),
  },
  {
    title: 'GET, no HTTP at all: twice',
    script: () => [createRawFault('220 mail.example ESMTP', ''), ok],
    run: get,
    right: hasValueAfter(2),
  },
  {
    title: 'POST, early hints before the response: a value',
    script: () => [
      createRawFault(
        'HTTP/1.1 103 Early Hints',
        'link: </a.css>',
        '',
        'HTTP/1.1 200 OK',
        json,
        'content-length: 11',
        'connection: close',
        '',
        '{"data":[]}',
      ),
    ],
    right: hasValueAfter(1),
  },
  {
    title: 'POST, connection refused at first: sent again until it is heard, once',
    script: () => [ok],
    opensAfterMs: 50,
    right: (seen) => isWhole(seen) && seen.heard.length === 1,
  },
  {
    title: 'POST, a name that nobody knows: an error',
    script: () => [ok],
    origin: () => 'http://farebox.invalid',
    right: hasErrorAfter(0),
  },
  {
    title: 'POST, no connection in time: tried again, as it was not sent',
    script: () => [ok],
    // a plain server never responds to the greeting of TLS, which counts as a part of connecting
    origin: ({ origin }) => origin.replace('http:', 'https:'),
    limits: { connectMs: 200, timeoutMs: 5000 },
    right: (seen) => hasErrorAfter(0)(seen) && seen.connections > 1,
  },
]

const never = { kind: 'slow-headers', ms: Infinity } as const
