import { describe, expect, it } from 'vitest'
import { createBodyBudget } from './read-body.js'

const free = 16 * 1024
const busy = expect.objectContaining({
  failure: expect.objectContaining({ status: 429 }) as object,
}) as Error
const [rich, poor] = [true, false].map((hasCredit) => (id: string) => ({ id, hasCredit })) as [
  (id: string) => { readonly id: string; readonly hasCredit: boolean },
  (id: string) => { readonly id: string; readonly hasCredit: boolean },
]

describe('the memory for bodies', () => {
  it('is bounded for all, and by half of it for one caller', () => {
    const budget = createBodyBudget({ withCredit: 100 })
    budget.open(rich('a')).take(free + 50)
    expect(() => budget.open(rich('a')).take(free + 1)).toThrow(busy)
    budget.open(rich('b')).take(free + 50)
    expect(() => budget.open(rich('c')).take(free + 1)).toThrow(busy)
  })

  it('is another for callers without credit', () => {
    const budget = createBodyBudget({ withCredit: 100, withoutCredit: 10 })
    for (const id of ['a', 'b']) budget.open(poor(id)).take(free + 5)
    expect(() => budget.open(poor('c')).take(free + 1)).toThrow(busy)
    budget.open(rich('c')).take(free + 50)
  })

  it('is given back with the end of a request', () => {
    const budget = createBodyBudget({ withCredit: 100 })
    const share = budget.open(rich('a'))
    for (let piece = 0; piece < 50; piece++) share.take(piece === 0 ? free + 1 : 1)
    expect(() => share.take(1)).toThrow(busy)
    share.close()
    share.close()
    budget.open(rich('a')).take(free + 50)
    expect(() => budget.open(rich('a')).take(free + 1)).toThrow(busy)
  })

  it('is not asked for by small bodies', () => {
    const budget = createBodyBudget({ withCredit: 0, withoutCredit: 0 })
    const share = budget.open(poor('a'))
    for (let piece = 0; piece < 16; piece++) share.take(1024)
    expect(() => share.take(1)).toThrow(busy)
  })
})
