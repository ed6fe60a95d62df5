import { expect, it } from 'vitest'
import { flushPromises, virtualClock } from '@farebox/testing/virtual-clock'
import { SlotQueue, type SlotDelay, type SlotRequest } from './slot-queue.js'

/** Calls that share a few slots. Counts how often the queue checks whether a call can wait. */
async function startCalls(size: number, startBy: (index: number) => number = () => Infinity) {
  const clock = virtualClock(0)
  let free = 8
  let checks = 0
  let served = 0
  const events: number[] = []
  const state = {}
  const queue = new SlotQueue<object, 'done'>({
    name: 'b',
    local: state,
    update: (change) => change(state),
    now: clock.now,
    wait: clock.wait,
  })
  const request = (index: number): SlotRequest<object, 'done'> => ({
    call: {
      url: '',
      method: 'GET',
      headers: new Headers(),
      attempt: { callId: index, number: 1, startBy: startBy(index) },
    },
    cost: undefined,
    by: 'rateLimit',
    priority: 0,
    emit: () => events.push(index),
    take: (): SlotDelay | undefined => (free > 0 ? void free-- : { source: 'in-flight' }),
    giveBack: () => void free++,
    waitError: (_blocked, time) => {
      checks++
      return startBy(index) < time ? new Error('too late') : undefined
    },
  })
  const calls = Array.from({ length: size }, async (_, index) => {
    const release = await queue.acquire(request(index))
    served++
    await clock.wait(10)
    await release('done')
  })
  const results = Promise.allSettled(calls)
  return { clock, results, events, checks: () => checks, served: () => served }
}

it('checks each call a few times, however many wait', async () => {
  const counts: number[] = []
  for (const size of [500, 1000, 2000]) {
    const { clock, results, events, checks, served } = await startCalls(size)
    await flushPromises()
    await clock.run()
    await results
    expect(served()).toBe(size)
    // each call that waits emits one event
    expect(new Set(events).size).toBe(events.length)
    counts.push(checks() / size)
  }
  expect(Math.max(...counts)).toBeLessThan(4)
})

it('rejects each call at its own deadline while the reason of the wait stays the same', async () => {
  // the last hundred must start before the others are served
  const { clock, results, served } = await startCalls(200, (index) => (index < 100 ? Infinity : 55))
  await flushPromises()
  await clock.run()
  const ends = (await results).map(({ status }) => status)
  expect(ends.slice(0, 100).every((status) => status === 'fulfilled')).toBe(true)
  expect(ends.slice(100).filter((status) => status === 'rejected').length).toBe(100)
  expect(served()).toBe(100)
})
