import { expect, it } from 'vitest'
import { combinations, shiftToLeapDay } from './variations.js'

it('every variation is tried, in at most five runs', () => {
  const names = combinations.flatMap(({ variations }) => variations.map(({ name }) => name))
  const wanted = [
    /^1 days/,
    /^400 days/,
    /-02-29$/,
    /Kiritimati/,
    /St_Johns/,
    /order 101/,
    /order 202/,
    /order 303/,
    /Node 22/,
    /Node 24/,
    /HOME/,
    /busy/,
  ]
  expect(wanted.filter((one) => !names.some((name) => one.test(name)))).toEqual([])
  expect(combinations.length).toBeLessThanOrEqual(5)
})

it.each([
  ['2026-11-26T20:00:00Z', '2028-02-29'],
  ['2028-02-28T00:00:00Z', '2028-02-29'],
  ['2028-03-01T00:00:00Z', '2032-02-29'],
])('from %s on, the next leap day is %s', (today, day) => {
  const { name, env } = shiftToLeapDay(new Date(today))
  expect(name).toBe(`on ${day}`)
  expect(
    new Date(Date.parse(today) + Number(env()['DAYS_AHEAD']) * 86_400_000)
      .toISOString()
      .slice(0, 10),
  ).toBe(day)
})
