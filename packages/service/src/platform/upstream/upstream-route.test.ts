import { describe, expect, it } from 'vitest'
import { chooseUpstream, type Candidate } from './upstream-route.js'

const createCandidate = (changes: Partial<Candidate> = {}): Candidate => ({
  weight: 1,
  waitMs: 0,
  asked: 0,
  ...changes,
})

describe('upstream selection', () => {
  it('follows the weights', () => {
    const counts = [0, 0]
    for (let step = 0; step < 100; step++) {
      const choice = chooseUpstream(
        [createCandidate({ weight: 3 }), createCandidate()],
        () => step / 100,
      )
      if ('index' in choice) counts[choice.index] = (counts[choice.index] ?? 0) + 1
    }
    expect(counts).toEqual([75, 25])
  })

  it.each([
    [
      'the only one that can be asked now',
      [createCandidate({ waitMs: 5 }), createCandidate()],
      { index: 1 },
    ],
    [
      'one that was asked less often',
      [createCandidate({ asked: 1, weight: 9 }), createCandidate()],
      { index: 1 },
    ],
    [
      'one of weight 0 when no other can be asked',
      [createCandidate({ waitMs: 5 }), createCandidate({ weight: 0 })],
      { index: 1 },
    ],
    [
      'none of weight 0 beside another',
      [createCandidate({ weight: 0 }), createCandidate()],
      { index: 1 },
    ],
    [
      'the shortest wait when none can be asked',
      [createCandidate({ waitMs: 7 }), createCandidate({ waitMs: 5 })],
      { waitMs: 5 },
    ],
    ['no end of the wait when there is none', [], { waitMs: Infinity }],
  ])('is %s', (_name, candidates, choice) => {
    expect(chooseUpstream(candidates, () => 0)).toEqual(choice)
  })
})
