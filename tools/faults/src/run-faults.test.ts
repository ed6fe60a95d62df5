import { rounds } from '@farebox/testing/rounds'
import { expect, it } from 'vitest'
import { faultNames } from './faults.js'
import { runFaults } from './run-faults.js'

const played = faultNames.filter(
  (_, index) => index % Math.ceil(faultNames.length / rounds(faultNames.length)) === 0,
)

it('the ledger of two services agrees with their callers, whatever fault strikes', async () => {
  const { wrong, struck, leftOut, charges } = await runFaults({
    seed: 4361,
    goesOn: (count) => count < played.length,
    faultsOf: (round) => played.slice(round, round + 1),
    wallets: 3,
    steps: 2,
  })
  expect(wrong).toEqual([])
  expect([...struck.keys()]).toEqual(
    played.filter((name) => leftOut.length === 0 || name !== 'fill its disk'),
  )
  expect(charges).toBeGreaterThan(played.length)
})
