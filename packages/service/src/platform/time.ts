import { setTimeout as setTimeoutPromise } from 'node:timers/promises'

/** Milliseconds that never go back, for durations. The time of day is `Date.now`. */
export function ticks(): number {
  return performance.now()
}

/**
 * Resolves when the time has passed. Rejects with the signal's reason as soon as the signal aborts.
 * The timer does not keep the process alive.
 */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeoutPromise(milliseconds, undefined, { ref: false, ...(signal && { signal }) })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

/**
 * The time that work on this machine may take, in milliseconds: `ms`, times FAREBOX_TIMEOUT_SCALE.
 * For a machine that is slow or shared. A limit that an option states is not scaled.
 */
export function timeLimit(ms: number): number {
  const text = process.env[scaleVariable]
  if (text === undefined) return ms
  if (isTimeoutScale(text)) return ms * Number(text)
  throw new RangeError(`${scaleVariable} is ${JSON.stringify(text)}; expected ${scaleForm}.`)
}

export const scaleVariable = 'FAREBOX_TIMEOUT_SCALE'
export const scaleForm = 'a number above 0, such as 5'

export function isTimeoutScale(text: string): boolean {
  return Number(text) > 0 && Number.isFinite(Number(text))
}

/** The result of work. Rejects with a LateError once `ms` have passed; the work goes on. */
export async function withTimeout<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new LateError(`There was no result within ${ms} ms.`)), ms)
    timer.unref()
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

export class LateError extends Error {
  override readonly name = 'LateError'
}
