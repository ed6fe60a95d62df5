import { expect, test } from 'vitest'
import { parseRfc3339 } from './parse-siwe-message.js'

const examples: [string, number | undefined][] = [
  ['1970-01-01T00:00:00Z', 0],
  ['1985-04-12T23:20:50.52Z', 482196050520],
  ['1996-12-19T16:39:57-08:00', 851042397000],
  ['1937-01-01T12:00:27.87+00:20', -1041337172130],
  ['2026-06-30t12:00:00z', 1782820800000],
  ['2024-02-29T00:00:00Z', 1709164800000],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-00-01T00:00:00Z', undefined],
  ['2026-06-30T24:00:00Z', undefined],
  ['2026-06-30T12:00:00', undefined],
  ['2026-06-30 12:00:00Z', undefined],
  ['2026-06-30T12:00Z', undefined],
  ['2026-06-30T12:00:00+2500', undefined],
  ['+002026-06-30T12:00:00Z', undefined],
]

for (const [text, time] of examples)
  test(`${text} is ${time ?? 'not an RFC 3339 date-time'}`, () =>
    expect(parseRfc3339(text)).toBe(time))
