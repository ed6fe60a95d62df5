import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sleep } from './abort.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('sleep resolves when the time has passed, and no earlier', async () => {
  let done = false
  void sleep(1000).then(() => (done = true))
  await vi.advanceTimersByTimeAsync(999)
  expect(done).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(done).toBe(true)
})

test('sleep can last a month, which is longer than one timer', async () => {
  let done = false
  void sleep(30 * 86_400_000).then(() => (done = true))
  await vi.advanceTimersByTimeAsync(29 * 86_400_000)
  expect(done).toBe(false)
  await vi.advanceTimersByTimeAsync(86_400_000)
  expect(done).toBe(true)
})

test('an abort rejects at once with the reason of the signal, and leaves no timer or listener', async () => {
  const controller = new AbortController()
  const sleeping = sleep(1000, controller.signal)
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(sleeping).rejects.toBe(reason)
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('an aborted signal rejects at once', async () => {
  const reason = new Error('enough')
  await expect(sleep(1000, AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(vi.getTimerCount()).toBe(0)
})

test('a signal that is not aborted keeps no listener', async () => {
  const { signal } = new AbortController()
  const sleeping = sleep(1000, signal)
  await vi.advanceTimersByTimeAsync(1000)
  await sleeping
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
