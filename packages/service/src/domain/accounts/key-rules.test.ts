import { expect, it } from 'vitest'
import { limitToMaker, type KeyLimits, type WantedLimits } from './key-rules.js'

const maker: KeyLimits = { limit: { usd: 5, diem: 3, vcu: 2 }, period: 'MONTH', expiresAt: 1_000 }

it.each<readonly [string, WantedLimits, KeyLimits]>([
  ['what its maker has, for want of a wish', {}, maker],
  [
    'the limits of its maker where it names none',
    { limit: {}, period: 'EPOCH', expiresAt: 900 },
    { ...maker, expiresAt: 900 },
  ],
  [
    'less',
    { limit: { usd: 4 }, period: 'EPOCH', expiresAt: 1_000 },
    { limit: { usd: 4 }, period: 'EPOCH', expiresAt: 1_000 },
  ],
  [
    'as much',
    { limit: { usd: 5, diem: 2 }, period: 'MONTH' },
    { limit: { usd: 5, diem: 2 }, period: 'MONTH', expiresAt: 1_000 },
  ],
  [
    'more in a longer time',
    { limit: { usd: 50 }, period: 'LIFETIME' },
    { limit: { usd: 50 }, period: 'LIFETIME', expiresAt: 1_000 },
  ],
])('grants a key %s', (_what, wanted, given) => {
  expect(limitToMaker(wanted, maker)).toEqual(given)
})

it.each<readonly [string, WantedLimits, string, string]>([
  ['a later end', { expiresAt: 1_001 }, 'expiresAt', '1970-01-01T00:00:01.000Z'],
  [
    'more USD',
    { limit: { usd: 5.000001 }, period: 'MONTH' },
    'consumptionLimit',
    'usd: Expected at most 5',
  ],
  [
    'more USD in a shorter time',
    { limit: { usd: 6 } },
    'consumptionLimit',
    'usd: Expected at most 5',
  ],
  [
    'more of the daily credit',
    { limit: { diem: 2.5 } },
    'consumptionLimit',
    'diem: Expected at most 2',
  ],
  [
    'more of it by its former name',
    { limit: { vcu: 2.5 } },
    'consumptionLimit',
    'vcu: Expected at most 2',
  ],
])('denies a key %s', (_what, wanted, field, message) => {
  expect(limitToMaker(wanted, maker)).toEqual({
    status: 'beyond maker',
    field,
    message: expect.stringContaining(message) as string,
  })
})

it('gives a key its own limits if its creator has none', () => {
  const free: KeyLimits = { limit: {}, period: 'EPOCH' }
  expect(limitToMaker({ limit: { usd: 9 }, period: 'LIFETIME', expiresAt: 5 }, free)).toEqual({
    limit: { usd: 9 },
    period: 'LIFETIME',
    expiresAt: 5,
  })
  expect(limitToMaker({}, free)).toEqual(free)
})
