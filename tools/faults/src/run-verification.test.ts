import { expect, it } from 'vitest'
import { runVerification } from './run-verification.js'

it('two processes whose upstreams fail in every way charge for what was delivered, and nothing else', async () => {
  const setup = { name: 'test', processes: 2, failingUpstreams: true } as const
  const isChosen = (check: string) => check === 'top-up.paid'
  const { wrong, checks, upstream } = await runVerification(setup, { seed: 4361, rounds: 1, wallets: 6, steps: 6, isChosen })
  expect(wrong).toEqual([])
  expect(checks.map(({ status }) => status)).toEqual(['passed'])
  expect(upstream?.size).toBeGreaterThan(3)
})
