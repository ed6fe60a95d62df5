import type { AppOptions } from '../http/app.js'

export type Repeated = { readonly close: () => Promise<void> }

/** Does the work now, and then once in each interval. Its errors go to `onError`. */
export async function repeat(
  work: () => Promise<void>,
  everyMs: number,
  onError: AppOptions['onError'],
): Promise<Repeated> {
  const repeated = repeatLater(work, everyMs, onError)
  await repeated.round()
  return repeated
}

/** Does the work once in each interval, for the first time after one. */
export function repeatLater(
  work: () => Promise<void>,
  everyMs: number,
  onError: AppOptions['onError'],
): Repeated & { readonly round: () => Promise<void> } {
  const round = async () => {
    try {
      await work()
    } catch (error) {
      onError(error, { requestId: 'sweep' })
    }
  }
  let running: Promise<void> | undefined
  const timer = setInterval(() => void (running = round()), everyMs)
  timer.unref()
  return {
    round,
    close: async () => {
      clearInterval(timer)
      await running
    },
  }
}
