import { expect, it } from 'vitest'
import { computeMedian, parseRounds, takeTurns } from './measure.js'

it('runs every candidate first equally often', async () => {
  const turns: string[] = []
  const party = (name: string) => () => turns.push(name)
  await takeTurns({ a: party('a'), b: party('b'), c: party('c') }, { rounds: 3, warmUp: 0 })
  expect(turns.join('')).toBe('abcbcacab')
})

it('runs a candidate several times per turn', async () => {
  const turns: string[] = []
  await takeTurns(
    { a: () => turns.push('a'), b: () => turns.push('b') },
    { rounds: 1, warmUp: 0, calls: 2 },
  )
  expect(turns.join('')).toBe('aabb')
})

it('stops when a candidate did not do its work', async () => {
  await expect(
    takeTurns({ ours: () => true, theirs: async () => false }, { rounds: 1 }),
  ).rejects.toThrow('theirs did not do its work')
})

it('uses the median', () => {
  expect(computeMedian([9, 1, 5])).toBe(5)
})

it('reads the number of rounds, and rejects invalid ones', () => {
  expect(parseRounds([], 60)).toBe(60)
  expect(parseRounds(['5'], 60)).toBe(5)
  expect(() => parseRounds(['0x'], 60)).toThrow(
    'ROUNDS: found "0x", expected an integer of 1 or more.',
  )
})
