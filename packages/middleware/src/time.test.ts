import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sleep } from './time.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('it resolves when the time has passed, and no earlier', async () => {
  let done = false
  void sleep(1000).then(() => (done = true))
  await vi.advanceTimersByTimeAsync(999)
  expect(done).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(done).toBe(true)
})

test('a month is longer than one timer can count, and is waited for', async () => {
  let done = false
  void sleep(30 * 86_400_000).then(() => (done = true))
  await vi.advanceTimersByTimeAsync(29 * 86_400_000)
  expect(done).toBe(false)
  await vi.advanceTimersByTimeAsync(86_400_000)
  expect(done).toBe(true)
})

test('an abort ends it at once with the signal’s own reason, and leaves nothing behind', async () => {
  const controller = new AbortController()
  const sleeping = sleep(1000, controller.signal)
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(sleeping).rejects.toBe(reason)
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('a signal that was aborted before rejects at once', async () => {
  const reason = new Error('enough')
  await expect(sleep(1000, AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(vi.getTimerCount()).toBe(0)
})

test('a signal that stays silent keeps no listener', async () => {
  const { signal } = new AbortController()
  const sleeping = sleep(1000, signal)
  await vi.advanceTimersByTimeAsync(1000)
  await sleeping
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
