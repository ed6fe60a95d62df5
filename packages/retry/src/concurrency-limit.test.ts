import { compose, type Call, type Send } from '@farebox/middleware'
import { expect, test } from 'vitest'
import { concurrencyLimit } from './concurrency-limit.js'

const call: Call = { url: 'http://api.example/x', method: 'POST', headers: new Headers() }

/** A service that rejects what exceeds its limit, and counts what it rejected. */
function createService(limit: { most: number }, body = { code: 'X402_CONCURRENCY_LIMIT' }) {
  const seen = { open: 0, accepted: 0, rejected: 0 }
  const send: Send = async () => {
    if (++seen.open > limit.most) seen.rejected++
    const isRejected = seen.open > limit.most
    if (!isRejected) seen.accepted = Math.max(seen.accepted, seen.open)
    await new Promise(setImmediate)
    seen.open--
    return isRejected ? Response.json(body, { status: 429 }) : new Response('ok')
  }
  return { seen, send: compose(send, [concurrencyLimit()]) }
}
const sendAtOnce = (send: Send, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await send(call)).status))

test('after a rejection, no more requests than the service accepts are in flight', async () => {
  const { seen, send } = createService({ most: 3 })
  const first = await sendAtOnce(send, 10)
  expect(first.filter((status) => status === 429)).toHaveLength(7)
  expect(await sendAtOnce(send, 40)).toEqual(Array.from({ length: 40 }, () => 200))
  expect(seen.rejected).toBe(7)
})

test('tries one more request after consecutive successes, to detect a raised limit', async () => {
  const limit = { most: 2 }
  const { seen, send } = createService(limit)
  await sendAtOnce(send, 6)
  limit.most = 4
  const before = seen.rejected
  await sendAtOnce(send, 99)
  expect(seen.accepted).toBe(2)
  await sendAtOnce(send, 300)
  expect([seen.accepted, seen.rejected]).toEqual([4, before])
})

test('a 429 for another reason or an error sets no limit', async () => {
  const { seen, send } = createService({ most: 3 }, { code: 'RATE_LIMIT_EXCEEDED' })
  await sendAtOnce(send, 10)
  await sendAtOnce(send, 10)
  expect(seen.rejected).toBe(14)
})

test('a waiting call ends when it is aborted', async () => {
  const { send } = createService({ most: 1 })
  await sendAtOnce(send, 3)
  const controller = new AbortController()
  const results = Promise.allSettled([send(call), send({ ...call, signal: controller.signal })])
  controller.abort(new Error('given up'))
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})
