import { expect, it } from 'vitest'
import { randomPairs } from '../test/random-pairs.js'
import { findOversights } from '../test/witnesses.js'

it.each([1, 2, 3, 4])(
  'no change of random schemas is called compatible where a value shows that it breaks: run %i',
  async (seed) => {
    const { pairs, shared } = randomPairs(seed, 150)
    const { oversights, witnesses } = await findOversights(pairs, shared)
    expect(oversights.map((each) => JSON.stringify(each))).toEqual([])
    expect(witnesses).toBeGreaterThan(100)
  },
)
