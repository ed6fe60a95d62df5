import { expect, it } from 'vitest'
import { type DocumentOutcomes, spread, sumUp } from './judged.js'

it('counts what a generator writes and how much of it compiles', () => {
  const judged = [
    judge({ theirs: { cpu: 1, errors: [] } }),
    judge({ theirs: { cpu: 1, errors: ['client.ts(1,1): error TS2304'] } }),
    judge({ theirs: { failed: 'no end within 120 s' } }),
  ]
  expect(sumUp(judged, ['theirs'], 'ours')['theirs']).toMatchObject({
    documents: 3,
    generated: 2,
    compiles: 1,
  })
})

it('compares times only if both generate', () => {
  const judged = [
    judge({ theirs: { cpu: 2, errors: [] }, ours: { cpu: 1, errors: [] } }),
    judge({ theirs: { cpu: 4, errors: [] }, ours: { cpu: 1, errors: [] } }),
    judge({ theirs: { cpu: 9, errors: [] }, ours: { cpu: 2, errors: ['error'] } }),
    judge({ theirs: { cpu: 1000, errors: [] }, ours: { failed: 'error FB1001' } }),
    judge({ theirs: { failed: 'Out of memory' }, ours: { cpu: 1000, errors: [] } }),
  ]
  expect(sumUp(judged, ['theirs'], 'ours')['theirs']).toMatchObject({
    'median CPU, s': 4,
    'median, to ours': 4,
    'sum, to ours': 3.75,
  })
})

it('spreads documents evenly', () => {
  const documents = Array.from({ length: 10 }, (_, index) => index)
  expect(spread(documents, 4)).toEqual([0, 3, 5, 8])
  expect(spread(documents, 10)).toEqual(documents)
  expect(spread(documents, 99)).toEqual(documents)
})

function judge(outcomes: DocumentOutcomes['outcomes']): DocumentOutcomes {
  return { document: 'api.json', outcomes }
}
