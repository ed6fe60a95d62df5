import type { AppOptions } from '../http/app.js'

export type Repeated = { readonly close: () => Promise<void> }

/** Does upkeep now, and then once in each interval. Its errors go to `onError`. */
export async function repeat(upkeep: () => Promise<void>, everyMs: number, onError: AppOptions['onError']): Promise<Repeated> {
  const repeated = repeatLater(upkeep, everyMs, onError)
  await repeated.round()
  return repeated
}

/** Does upkeep once in each interval, for the first time after one. */
export function repeatLater(
  upkeep: () => Promise<void>,
  everyMs: number,
  onError: AppOptions['onError'],
): Repeated & { readonly round: () => Promise<void> } {
  const round = async () => {
    try {
      await upkeep()
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

/** Does each of the works in turn, also after one that rejects. Rejects with the first error. */
export function allInTurn(works: readonly (() => Promise<void>)[]): () => Promise<void> {
  return async () => {
    const errors: unknown[] = []
    for (const work of works) await work().catch((error: unknown) => void errors.push(error))
    if (errors.length > 0) throw errors[0]
  }
}
