import { afterEach, expect, it, vi } from 'vitest'
import { timeLimit } from './time.js'

afterEach(() => void vi.unstubAllEnvs())

it('is as configured, or multiplied by the scale', () => {
  vi.stubEnv('FAREBOX_TIMEOUT_SCALE', undefined)
  expect(timeLimit(2_000)).toBe(2_000)
  vi.stubEnv('FAREBOX_TIMEOUT_SCALE', '5')
  expect(timeLimit(2_000)).toBe(10_000)
})

it.each(['0', '-1', 'fast', 'Infinity', ''])('rejects a scale of %j', (scale) => {
  vi.stubEnv('FAREBOX_TIMEOUT_SCALE', scale)
  expect(() => timeLimit(2_000)).toThrow(
    `FAREBOX_TIMEOUT_SCALE is ${JSON.stringify(scale)}; expected a number above 0`,
  )
})
