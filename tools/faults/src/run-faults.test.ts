import { expect, it } from 'vitest'
import { faultNames } from './faults.js'
import { runFaults } from './run-faults.js'

it('the ledger of two services agrees with their callers, whatever fault strikes', async () => {
  const { wrong, struck, leftOut, charges } = await runFaults({
    seed: 4361,
    goesOn: (played) => played < faultNames.length,
    faultsOf: (round) => faultNames.slice(round, round + 1),
    wallets: 3,
    steps: 2,
  })
  expect(wrong).toEqual([])
  expect(struck.size + leftOut.length).toBe(faultNames.length)
  expect(charges).toBeGreaterThan(30)
})
