import type { Call, Operation, Send } from '@farebox/middleware'
import { expect, test } from 'vitest'
import { autoTopUp } from './auto-top-up.js'

const operation: Operation = { id: 'createSpeech', method: 'POST', path: '/x', security: [['siwx']], idempotent: false }
const call: Call = { url: 'http://api.example/x', method: 'POST', headers: new Headers(), body: 'text', operation }

/** A service that answers 402 until it is paid, and a top-up; both count. */
function play({ enough = 1 } = {}) {
  const state = { sends: [] as Call[], topUps: 0, paid: 0 }
  const send: Send = async (given) => {
    state.sends.push(given)
    return new Response('body', { status: state.paid >= enough ? 200 : 402 })
  }
  const topUp = async () => {
    state.topUps++
    await new Promise((resolve) => setImmediate(resolve))
    state.paid++
  }
  return { state, send: autoTopUp(topUp)(send) }
}

test('a call that meets 402 is paid for, and sent again exactly once, as it was', async () => {
  const { state, send } = play()
  expect((await send(call)).status).toBe(200)
  expect(state).toMatchObject({ topUps: 1, sends: [call, call] })
})

test('a second 402 is the caller’s, and nothing more is paid', async () => {
  const { state, send } = play({ enough: 2 })
  expect((await send(call)).status).toBe(402)
  expect([state.topUps, state.sends.length]).toEqual([1, 2])
})

test('parallel calls wait for one top-up, and each is sent again exactly once', async () => {
  const { state, send } = play()
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(call)))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  expect([state.topUps, state.sends.length]).toEqual([1, 40])
})

test('a 402 that comes late, to a call from before the top-up, is not paid for again', async () => {
  let answer: (response: Response) => void = () => {}
  let topUps = 0
  let sends = 0
  const send = autoTopUp(async () => topUps++)(async () => {
    if (++sends === 1) return new Promise((resolve) => (answer = resolve))
    return new Response(null, { status: topUps === 0 ? 402 : 200 })
  })
  const early = send(call)
  expect((await send(call)).status).toBe(200)
  answer(new Response(null, { status: 402 }))
  expect((await early).status).toBe(200)
  expect([topUps, sends]).toEqual([1, 4])
})

test('what fails to be paid is the error of all that waited, and the next 402 tries again', async () => {
  let topUps = 0
  const send = autoTopUp(async () => {
    topUps++
    throw new Error('over the cap')
  })(async () => new Response(null, { status: 402 }))
  const outcomes = await Promise.allSettled([send(call), send(call)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(topUps).toBe(1)
  await expect(send(call)).rejects.toThrow('over the cap')
  expect(topUps).toBe(2)
})

test('nothing is paid for an operation without wallets, a call of no operation, a stream, or a call that was aborted', async () => {
  const { state, send } = play()
  const { operation: _none, ...unnamed } = call
  const calls: readonly Call[] = [
    { ...call, operation: { ...operation, security: [['BearerAuth']] } },
    unnamed,
    { ...call, body: new ReadableStream() },
    { ...call, signal: AbortSignal.abort() },
  ]
  for (const one of calls) expect((await send(one)).status).toBe(402)
  expect([state.topUps, state.sends.length]).toEqual([0, 4])
})
