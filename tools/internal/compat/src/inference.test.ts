import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findInferenceFaults, type InferenceMatrix } from './inference.js'

const recorded = JSON.parse(
  readFileSync(new URL('../inference.json', import.meta.url), 'utf8'),
) as InferenceMatrix

it('the published results have every case, by API key and by wallet, without failures', () => {
  expect(findInferenceFaults(recorded)).toEqual([])
  const versions = Object.values(recorded.outcomes)
  expect(versions).toHaveLength(2)
  for (const clients of versions) {
    const counts = Object.values(clients).map((cases) => Object.keys(cases).length)
    expect(counts).toEqual([8, 6, 5])
    for (const callers of Object.values(clients).flatMap((cases) => Object.values(cases)))
      expect(Object.keys(callers)).toEqual(['API key', 'wallet'])
  }
})

it('a failed case is reported with its client and caller', () => {
  const outcomes = { '22.0.0': { openai: { chat: { 'API key': 'works', wallet: 'Error: 402' } } } }
  expect(findInferenceFaults({ packages: {}, outcomes })).toEqual([
    'openai, Node 22.0.0, chat, wallet: Error: 402',
  ])
})
