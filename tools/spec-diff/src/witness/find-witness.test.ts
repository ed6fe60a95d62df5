import { expect, it } from 'vitest'
import { createRandomPairs } from '../../test/random-pairs.js'
import { searchWitnesses } from '../../test/witnesses.js'
import { countRounds } from '../../../internal/testing/src/rounds.js'

it('finds values that an independent validator accepts before and rejects after, almost whenever some exist', async () => {
  const { pairs, shared } = createRandomPairs(7, countRounds(150))
  const results = await searchWitnesses(pairs, shared)
  const found = results.flatMap((result) => result.found ?? [])
  expect(
    found.filter(({ acceptedByBefore, acceptedByAfter }) => !acceptedByBefore || acceptedByAfter),
  ).toEqual([])
  const known = results.filter(({ exists }) => exists)
  expect(known.filter((result) => result.found).length / known.length).toBeGreaterThan(0.9)
})
