import { rounds } from '@farebox/testing/rounds'
import { expect, it } from 'vitest'
import { runVerification } from './run-verification.js'

it('a process whose upstreams fail in every way charges for what was delivered, and nothing else', async () => {
  const setup = { name: 'test', processes: 1, failingUpstreams: true } as const
  const isChosen = (check: string) => check === 'top-up.paid'
  const { wrong, checks, upstream } = await runVerification(setup, {
    seed: 4361,
    rounds: 1,
    wallets: rounds(10),
    steps: 6,
    isChosen,
  })
  expect(wrong).toEqual([])
  expect(checks.map(({ status }) => status)).toEqual(['passed'])
  expect(upstream?.size).toBeGreaterThan(3)
})
