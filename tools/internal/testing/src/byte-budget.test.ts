import { expect, it } from 'vitest'
import { findBudgetFault, computeBudget } from './byte-budget.js'

it('budgets are steps of 2 %', () => {
  expect([1, 100, 101, 1000, 1014, 1015, 480_000].map(computeBudget)).toEqual([
    100, 100, 102, 1014, 1014, 1035, 489_186,
  ])
})

it.each([
  [
    1015,
    1014,
    'x: found 1015 bytes, allowed 1014. Make it smaller, or allow 1035 and say in the commit what is worth it.',
  ],
  [900, 1014, 'x: found 900 bytes, allowed 1014. Allow 901, so that it cannot grow unseen.'],
  [1000, 1010, 'x: found 1000 bytes, allowed 1010, which is no step of 2 %. Allow 1014.'],
  [1014, 1014, undefined],
  [1000, 1014, undefined],
])('%i bytes of %i: %s', (bytes, most, fault) => {
  expect(findBudgetFault({ what: 'x', most }, bytes)).toBe(fault)
})
