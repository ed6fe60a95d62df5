import { expect, it } from 'vitest'
import { createLocalEmbedding } from './local-embedding.js'

const { embed } = createLocalEmbedding()
const signal = new AbortController().signal

const computeSimilarity = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)

it('brings texts with common words closer', async () => {
  const [fare, fares, other, same] = (await embed(
    [
      'The fare of the night bus is 2.40',
      'Which fares does a night bus have?',
      'Photosynthesis turns light into sugar',
      'the FARE of the night bus is 2.40!',
    ],
    { signal },
  )) as [Float32Array, Float32Array, Float32Array, Float32Array]
  expect(computeSimilarity(fare, fares)).toBeGreaterThan(0.2)
  expect(Math.abs(computeSimilarity(fare, other))).toBeLessThan(0.1)
  expect(computeSimilarity(fare, same)).toBeCloseTo(1)
})

it('ranks the text that answers a question first', async () => {
  const texts = ['Dogs may ride for free.', 'A bicycle needs a ticket.', 'Trams end at midnight.']
  const [question = new Float32Array(), ...vectors] = await embed(
    ['When do the trams end?', ...texts],
    { signal },
  )
  const ranked = vectors.map((vector) => computeSimilarity(question, vector))
  expect(ranked.indexOf(Math.max(...ranked))).toBe(2)
})

it.each([1, 3, 256, 3_072])('makes vectors of length 1 with %d numbers', async (dimensions) => {
  const vectors = await embed(['', '!?', 'a', 'Zwölf Boxkämpfer', '東京'], { dimensions, signal })
  for (const vector of vectors) {
    expect(vector).toHaveLength(dimensions)
    expect(computeSimilarity(vector, vector)).toBeCloseTo(1, 5)
  }
  expect(await embed(['a'], { dimensions, signal })).toEqual([vectors[2]])
})

it('stops when its caller leaves', async () => {
  const caller = new AbortController()
  const texts = Array.from({ length: 20 }, () => 'word '.repeat(20_000))
  const embedded = embed(texts, { signal: caller.signal })
  caller.abort()
  await expect(embedded).rejects.toMatchObject({ code: 'unread' })
})
