import { describe, expect, it } from 'vitest'
import type { Database } from '@farebox/service'
import type { Call, Outcome } from './call.js'
import type { Plan } from './script.js'
import type { Kill } from './round.js'
import { createCases, sumUp } from './sum-up.js'

const start = 10_000

/** A call for which the upstream reports 100 tokens of the prompt and gives 10 pieces. */
function call(outcome: Outcome, more: Partial<Call> & { readonly leaving?: Plan['leaving'] } = {}) {
  const { leaving, ...seen } = more
  const script = { id: 'a', pieces: 10, paceMs: 1, promptTokens: 100 } as const
  const plan: Plan = {
    script: { ...script, end: 'complete', usage: 'in each event' },
    isStreamed: true,
    ...(leaving && { leaving }),
  }
  const common = { plan, prompt: 'x', origin: 'one', status: 200, requestId: 'r', error: '' }
  return { ...common, outcome, received: 10, start, end: start + 100, ...seen }
}

/** 100 * 1.3 + 10 * 41.7 = 547 micro-USD. */
const whole = 547

async function summarizeCall(one: Call, charged: number, kill?: Kill) {
  const rows = charged === 0 ? [] : [{ request_id: 'r', usd: BigInt(charged), count: 1n }]
  const database = { query: async () => rows } as unknown as Database
  const payer = {
    name: 'key',
    entries: { column: 'e.key_id', value: 'k' },
    budget: 1_000n,
  } as const
  const cases = createCases()
  const given = new Map([['a', { id: 'a', written: 10 }]])
  const { summary } = await sumUp(database, payer, [one], { given, kill, cases })
  const { overspend, undercharge } = summary
  return { overspend, undercharge, free: summary['free by kill'], cases }
}

describe('the totals of a payer', () => {
  it.each([
    ['a whole completion at its price', call('whole'), whole, 0, 0],
    ['one at a micro-USD more', call('whole'), whole + 1, 1, 0],
    ['one that is free', call('whole'), 0, 0, whole],
    ['an upstream fault that is free', call('failed'), 0, 0, 0],
    ['one that is charged', call('failed'), 5, 5, 0],
    ['a rejected call that is charged', call('rejected'), 5, 5, 0],
    [
      'a client that left with 4 tokens, charged for 10',
      call('left', { received: 4 }),
      whole,
      0,
      0,
    ],
    ['one that is charged for 4', call('left', { received: 4 }), 297, 0, 0],
    ['one that is charged for 3', call('left', { received: 4 }), 255, 0, 42],
    ['one that is charged for 11', call('left', { received: 4 }), 589, 42, 0],
    ['more than the budget', call('whole'), 1_001, 1 + 1_001 - whole, 0],
  ])('detects %s', async (_what, one, charged, overspend, undercharge) => {
    expect(await summarizeCall(one, charged)).toMatchObject({ overspend, undercharge })
  })

  it('counts calls that a kill made free, but none of another process', async () => {
    const kill = { origin: 'one', at: start + 50, open: new Set<string>() }
    expect(await summarizeCall(call('cut'), 0, kill)).toMatchObject({ undercharge: 0, free: whole })
    const elsewhere = call('whole', { origin: 'two' })
    expect(await summarizeCall(elsewhere, 0, kill)).toMatchObject({ undercharge: whole, free: 0 })
  })

  it('counts a client that disconnected before a kill as free only if its hold was open', async () => {
    const kill = { origin: 'one', at: start + 500 }
    const held = { ...kill, open: new Set(['r']) }
    expect(await summarizeCall(call('left'), 0, held)).toMatchObject({
      undercharge: 0,
      free: whole,
    })
    const charged = { ...kill, open: new Set(['other']) }
    expect(await summarizeCall(call('left'), 0, charged)).toMatchObject({
      undercharge: whole,
      free: 0,
    })
  })

  it('counts clients that disconnected without a charge', async () => {
    const { cases } = await summarizeCall(call('left'), 0)
    expect(cases['charged nothing after a disconnect']).toEqual({ checked: 1, wrong: 1 })
  })
})
