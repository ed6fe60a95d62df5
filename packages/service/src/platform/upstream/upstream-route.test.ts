import { describe, expect, it } from 'vitest'
import { chooseUpstream, type Candidate } from './upstream-route.js'

const one = (changes: Partial<Candidate> = {}): Candidate => ({
  weight: 1,
  waitMs: 0,
  asked: 0,
  ...changes,
})

describe('the choice of an upstream', () => {
  it('follows the weights', () => {
    const counts = [0, 0]
    for (let step = 0; step < 100; step++) {
      const choice = chooseUpstream([one({ weight: 3 }), one()], () => step / 100)
      if ('index' in choice) counts[choice.index] = (counts[choice.index] ?? 0) + 1
    }
    expect(counts).toEqual([75, 25])
  })

  it.each([
    ['the only one that can be asked now', [one({ waitMs: 5 }), one()], { index: 1 }],
    ['one that was asked less often', [one({ asked: 1, weight: 9 }), one()], { index: 1 }],
    [
      'one of weight 0 when no other can be asked',
      [one({ waitMs: 5 }), one({ weight: 0 })],
      { index: 1 },
    ],
    ['none of weight 0 beside another', [one({ weight: 0 }), one()], { index: 1 }],
    [
      'the shortest wait when none can be asked',
      [one({ waitMs: 7 }), one({ waitMs: 5 })],
      { waitMs: 5 },
    ],
    ['no end of the wait when there is none', [], { waitMs: Infinity }],
  ])('is %s', (_name, candidates, choice) => {
    expect(chooseUpstream(candidates, () => 0)).toEqual(choice)
  })
})
