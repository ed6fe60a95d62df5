import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { serverTime } from './response-headers.js'

const now = Date.UTC(2026, 5, 30, 12)
const read = (headers: Record<string, string>, status = 429) =>
  serverTime(new Response(null, { status, headers }), now)

const examples: [string, Record<string, string>, number | undefined][] = [
  ['nothing', {}, undefined],
  ['Retry-After in seconds', { 'retry-after': '7' }, now + 7000],
  ['Retry-After of 0', { 'retry-after': '0' }, now],
  ['Retry-After with a fraction', { 'retry-after': '1.5' }, now + 1500],
  ['Retry-After as a date', { 'retry-after': 'Tue, 30 Jun 2026 12:00:09 GMT' }, now + 9000],
  [
    'Retry-After in the obsolete format of RFC 850',
    { 'retry-after': 'Tuesday, 30-Jun-26 12:00:09 GMT' },
    now + 9000,
  ],
  [
    'Retry-After in the format of asctime, which is also GMT',
    { 'retry-after': 'Tue Jun 30 12:00:09 2026' },
    now + 9000,
  ],
  ['retry-after-ms', { 'retry-after-ms': '250' }, now + 250],
  ['a reset in Unix seconds', { 'x-ratelimit-reset-requests': '1782820812' }, now + 12_000],
  [
    'a reset in Unix seconds with a fraction',
    { 'x-ratelimit-reset-requests': '1782820812.5' },
    now + 12_500,
  ],
  ['a reset in Unix milliseconds', { 'x-ratelimit-reset-requests': '1782820812345' }, now + 12_345],
  [
    'a reset too small for a Unix time, as seconds from now',
    { 'x-ratelimit-reset-requests': '30' },
    now + 30_000,
  ],
  ['a reset in the past', { 'x-ratelimit-reset-requests': '1782820790' }, now - 10_000],
  [
    'the latest of several',
    { 'retry-after': '7', 'retry-after-ms': '9000', 'x-ratelimit-reset-requests': '1782820808' },
    now + 9000,
  ],
  [
    'the only readable value',
    { 'retry-after': 'soon', 'x-ratelimit-reset-requests': '1782820808' },
    now + 8000,
  ],
]

for (const [name, headers, time] of examples)
  test(`${name} is read`, () => expect(read(headers)).toBe(time))

for (const value of [
  '',
  'soon',
  'inf',
  'Infinity',
  'NaN',
  '-1',
  '1e3',
  '1e400',
  '0x10',
  '1,5',
  '6m0s',
  '2026-06-30T12:00:09Z',
  'Tue, 99 Foo 2026',
]) {
  test(`"${value}" is ignored`, () => {
    expect(read({ 'retry-after': value })).toBe(undefined)
    expect(read({ 'retry-after-ms': value })).toBe(undefined)
    expect(read({ 'x-ratelimit-reset-requests': value })).toBe(undefined)
  })
}

test('the reset, which every response has, counts only if no request remains', () => {
  expect(
    read(
      { 'x-ratelimit-reset-requests': '1782820812', 'x-ratelimit-remaining-requests': '40' },
      500,
    ),
  ).toBe(undefined)
  expect(
    read(
      { 'x-ratelimit-reset-requests': '1782820812', 'x-ratelimit-remaining-requests': '0' },
      500,
    ),
  ).toBe(now + 12_000)
  expect(
    read(
      { 'x-ratelimit-reset-requests': '1782820812', 'x-ratelimit-remaining-requests': '3' },
      429,
    ),
  ).toBe(now + 12_000)
})

test('the server’s Date corrects our clock', () => {
  const ahead = {
    date: 'Tue, 30 Jun 2026 11:00:00 GMT',
    'x-ratelimit-reset-requests': '1782817212',
  }
  expect(read(ahead)).toBe(now + 12_000)
  const behind = {
    date: 'Tue, 30 Jun 2026 13:00:00 GMT',
    'retry-after': 'Tue, 30 Jun 2026 13:00:09 GMT',
  }
  expect(read(behind)).toBe(now + 9000)
  expect(
    read({ date: 'Tue, 30 Jun 2026 11:59:58 GMT', 'x-ratelimit-reset-requests': '1782820812' }),
  ).toBe(now + 14_000)
})

test('a Date of another day or of a cached response is ignored', () => {
  const reset = { 'x-ratelimit-reset-requests': '1782820812' }
  expect(read({ ...reset, date: 'Tue, 30 Jun 2020 12:00:00 GMT' })).toBe(now + 12_000)
  expect(read({ ...reset, date: 'Tue, 30 Jun 2026 11:00:00 GMT', age: '3600' })).toBe(now + 12_000)
})

test('a time beyond the range of Date becomes its last moment', () => {
  for (const value of ['99999999999999999999', '9'.repeat(400)]) {
    expect(read({ 'retry-after': value })).toBe(8.64e15)
    expect(read({ 'x-ratelimit-reset-requests': value })).toBe(8.64e15)
  }
})

test('for any headers, the result is undefined or a valid Date', () => {
  const value = fc.oneof(
    fc.stringMatching(/^[\x20-\x7e]{0,30}$/),
    fc.double().map(String),
    fc.bigInt().map(String),
    fc.date().map((date) => date.toUTCString()),
  )
  fc.assert(
    fc.property(value, value, value, value, (a, b, c, date) => {
      const time = read({
        'retry-after': a,
        'retry-after-ms': b,
        'x-ratelimit-reset-requests': c,
        date,
      })
      expect(time === undefined || !Number.isNaN(new Date(time).getTime())).toBe(true)
    }),
    { numRuns: 2000 },
  )
})
