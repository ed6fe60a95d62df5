import { expect, test } from 'vitest'
import { farebox } from './payment-faults/clients.js'
import { play } from './payment-faults.js'
import { scenarios } from './payment-faults/scenarios.js'

test('there are at least 30 scenarios', () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(30)
})

test.each(scenarios)('ours exposes one amount, by one nonce: $title', async (scenario) => {
  const { usd, nonces } = await play(scenario, farebox)
  expect(nonces).toBeLessThanOrEqual(1)
  expect(usd).toBeLessThanOrEqual(5)
})
