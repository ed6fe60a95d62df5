import { expect, it } from 'vitest'
import { settled, virtualClock } from '@farebox/testing/virtual-clock'
import { createSlotQueue, type Blocked, type Wanted } from './slot-queue.js'

/** A crowd that shares a few slots, and how often the queue asked a call whether it can wait. */
async function crowd(size: number, startBy: (index: number) => number = () => Infinity) {
  const clock = virtualClock(0)
  let free = 8
  let asked = 0
  let served = 0
  const events: number[] = []
  const queue = createSlotQueue<object, 'done'>('b', {}, clock, undefined, '')
  const wanted = (index: number): Wanted<object, 'done'> => ({
    call: { url: '', method: 'GET', headers: new Headers(), attempt: { callId: index, number: 1, startBy: startBy(index) } },
    by: 'pace',
    priority: 0,
    emit: () => events.push(index),
    take: (): Blocked | undefined => (free > 0 ? void free-- : { source: 'in-flight' }),
    giveBack: () => void free++,
    refusal: (_blocked, time) => {
      asked++
      return startBy(index) < time ? new Error('too late') : undefined
    },
  })
  const calls = Array.from({ length: size }, async (_, index) => {
    const release = await queue.acquire(wanted(index))
    served++
    await clock.wait(10)
    await release('done')
  })
  const results = Promise.allSettled(calls)
  return { clock, results, events, asked: () => asked, served: () => served }
}

it('asks each call a few times, however many wait', async () => {
  const counts: number[] = []
  for (const size of [500, 1000, 2000]) {
    const { clock, results, events, asked, served } = await crowd(size)
    await settled()
    await clock.run()
    await results
    expect(served()).toBe(size)
    // each that had to wait said so once
    expect(new Set(events).size).toBe(events.length)
    counts.push(asked() / size)
  }
  expect(Math.max(...counts)).toBeLessThan(4)
})

it('still ends each call at its own deadline while the reason of the wait stays the same', async () => {
  // the last hundred must start before the others have left
  const { clock, results, served } = await crowd(200, (index) => (index < 100 ? Infinity : 55))
  await settled()
  await clock.run()
  const ends = (await results).map(({ status }) => status)
  expect(ends.slice(0, 100).every((status) => status === 'fulfilled')).toBe(true)
  expect(ends.slice(100).filter((status) => status === 'rejected').length).toBe(100)
  expect(served()).toBe(100)
})
