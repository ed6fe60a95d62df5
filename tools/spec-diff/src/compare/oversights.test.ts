import { expect, it } from 'vitest'
import { countRounds } from '../../../internal/testing/src/rounds.js'
import { createRandomPairs } from '../../test/random-pairs.js'
import { findOversights, readVerdicts } from '../../test/witnesses.js'

it.each([1, 2, 3, 4].slice(0, countRounds(4)))(
  'a change of random schemas is called breaking exactly where a value breaks: run %i',
  async (seed) => {
    const { pairs, shared } = createRandomPairs(seed, 150)
    const { oversights, witnesses, alarms } = await findOversights(pairs, shared)
    expect(oversights.map((each) => JSON.stringify(each))).toEqual([])
    expect(alarms.map((each) => JSON.stringify(each))).toEqual([])
    expect(witnesses).toBeGreaterThan(100)
  },
)

it('a pair that only one direction distinguishes does not break the other direction', async () => {
  const { pairs, shared } = createRandomPairs(5, 60)
  const wider = pairs.map(({ before }) => ({
    before,
    after: { anyOf: [before, { type: 'boolean' }, before] },
  }))
  const same = pairs.map(({ before }) => ({ before, after: { allOf: [{}, before] } }))
  const verdicts = await readVerdicts([...wider, ...same], {
    before: shared.before,
    after: shared.before,
  })
  expect(verdicts.slice(0, wider.length).filter(([request]) => request === 'major')).toEqual([])
  expect(verdicts.slice(wider.length)).toEqual(same.map(() => ['none', 'none']))
})
