import { describe, expect, it } from 'vitest'
import { createCircuitBreaker } from './upstream-pool.js'

const settings = { failures: 3, openMs: 1_000 }

function createBreaker(time: { now: number }) {
  const breaker = createCircuitBreaker(() => time.now)
  const fail = () => breaker.fail(breaker.enter(), settings)
  const succeed = () => breaker.succeed(breaker.enter())
  return { ...breaker, failOne: fail, succeedOne: succeed }
}

describe('a circuit breaker', () => {
  it('opens after the configured number of consecutive failures', () => {
    const breaker = createBreaker({ now: 0 })
    breaker.failOne()
    breaker.failOne()
    breaker.succeedOne()
    breaker.failOne()
    breaker.failOne()
    expect([breaker.state(), breaker.waitMs()]).toEqual(['closed', 0])
    breaker.failOne()
    expect([breaker.state(), breaker.waitMs()]).toEqual(['open', 1_000])
  })

  it('lets one call through after its time, and closes when that call succeeds', () => {
    const time = { now: 0 }
    const breaker = createBreaker(time)
    for (let call = 0; call < 3; call++) breaker.failOne()
    time.now = 999
    expect([breaker.state(), breaker.waitMs()]).toEqual(['open', 1])
    time.now = 1_000
    expect([breaker.state(), breaker.waitMs()]).toEqual(['half-open', 0])
    const trial = breaker.enter()
    expect(breaker.waitMs()).toBe(Infinity)
    breaker.succeed(trial)
    expect([breaker.state(), breaker.waitMs()]).toEqual(['closed', 0])
    breaker.failOne()
    expect(breaker.state()).toBe('closed')
  })

  it('opens again when that call fails, and lets another through when its caller disconnected', () => {
    const time = { now: 0 }
    const breaker = createBreaker(time)
    for (let call = 0; call < 3; call++) breaker.failOne()
    time.now = 1_000
    breaker.abandon(breaker.enter())
    expect([breaker.state(), breaker.waitMs()]).toEqual(['half-open', 0])
    breaker.failOne()
    expect([breaker.state(), breaker.waitMs()]).toEqual(['open', 1_000])
  })

  it('lets another call through when one takes longer than the circuit was open', () => {
    const time = { now: 0 }
    const breaker = createBreaker(time)
    for (let call = 0; call < 3; call++) breaker.failOne()
    time.now = 1_000
    const long = breaker.enter()
    time.now = 1_999
    expect(breaker.waitMs()).toBe(Infinity)
    time.now = 2_000
    expect(breaker.waitMs()).toBe(0)
    breaker.enter()
    expect(breaker.waitMs()).toBe(Infinity)
    breaker.succeed(long)
    expect([breaker.state(), breaker.waitMs()]).toEqual(['closed', 0])
  })

  it('ignores the results of calls from before it opened', () => {
    const time = { now: 0 }
    const breaker = createBreaker(time)
    const [slow, slower] = [breaker.enter(), breaker.enter()]
    for (let call = 0; call < 3; call++) breaker.failOne()
    breaker.succeed(slow)
    expect(breaker.state()).toBe('open')
    time.now = 1_000
    breaker.enter()
    breaker.fail(slower, settings)
    breaker.abandon(slow)
    expect([breaker.state(), breaker.waitMs()]).toEqual(['half-open', Infinity])
  })
})
