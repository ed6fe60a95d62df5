import { getEventListeners } from 'node:events'
import type { Call, Operation, Send } from '@farebox/middleware'
import { expect, test } from 'vitest'
import { autoTopUp } from './wallet.js'

const operation: Operation = {
  id: 'createSpeech',
  method: 'POST',
  path: '/x',
  security: [['siwx']],
  idempotent: false,
}
const call: Call = {
  url: 'http://api.example/x',
  method: 'POST',
  headers: new Headers(),
  body: 'text',
  operation,
}

/** A service that responds with 402 until it is paid, and a top-up. Both count. */
function play({ enough = 1 } = {}) {
  const state = { sends: [] as Call[], topUps: 0, paid: 0 }
  const send: Send = async (received) => {
    state.sends.push(received)
    return new Response('body', { status: state.paid >= enough ? 200 : 402 })
  }
  const topUp = async () => {
    state.topUps++
    await new Promise((resolve) => setImmediate(resolve))
    state.paid++
  }
  return { state, send: autoTopUp(topUp)(send) }
}

test('a call that gets a 402 tops up, and is sent again exactly once, unchanged', async () => {
  const { state, send } = play()
  expect((await send(call)).status).toBe(200)
  expect(state).toMatchObject({ topUps: 1, sends: [call, call] })
})

test('a second 402 is returned to the caller, and nothing more is paid', async () => {
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

test('a late 402, to a call that was sent before the top-up, does not pay again', async () => {
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

test('a failed top-up rejects all calls that waited, and the next 402 tries again', async () => {
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

test('nothing is paid for operations without wallet access, calls without an operation, streams and aborted calls', async () => {
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

/** Top-ups that the test ends, and the signals that were passed to them. */
function createSlowTopUps() {
  const topUps: { readonly signal: AbortSignal; readonly end: () => void }[] = []
  let paid = 0
  const middleware = autoTopUp(
    (signal) =>
      new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        topUps.push({ signal, end: () => (paid++, resolve()) })
      }),
  )
  const send = middleware(async () => new Response(null, { status: paid > 0 ? 200 : 402 }))
  return { topUps, send }
}

const flushPromises = () => new Promise((resolve) => void setImmediate(resolve))

test('an aborted call stops waiting at once, while the top-up goes on for the others', async () => {
  const { topUps, send } = createSlowTopUps()
  const controller = new AbortController()
  const aborted = send({ ...call, signal: controller.signal }).catch((error: unknown) => error)
  const other = send(call)
  await flushPromises()
  controller.abort('enough')
  expect(await aborted).toBe('enough')
  expect(topUps.map(({ signal }) => signal.aborted)).toEqual([false])
  topUps[0]?.end()
  expect((await other).status).toBe(200)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('a top-up that no call waits for is aborted, and the next 402 starts another', async () => {
  const { topUps, send } = createSlowTopUps()
  const controller = new AbortController()
  const both = [1, 2].map(() =>
    send({ ...call, signal: controller.signal }).catch((error: unknown) => error),
  )
  await flushPromises()
  controller.abort('enough')
  const next = send(call)
  expect(await Promise.all(both)).toEqual(['enough', 'enough'])
  await flushPromises()
  expect(topUps.map(({ signal }) => signal.aborted)).toEqual([true, false])
  topUps[1]?.end()
  expect((await next).status).toBe(200)
})

test('a 402 whose body cannot be cancelled tops up as well', async () => {
  let sends = 0
  const broken = () =>
    new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) })
  const send = autoTopUp(async () => undefined)(async () =>
    sends++ === 0 ? new Response(broken(), { status: 402 }) : new Response('ok'),
  )
  expect((await send(call)).status).toBe(200)
})
