export type Waiter = { readonly priority: number }

export type Queue<T extends Waiter> = {
  readonly size: () => number
  readonly push: (waiter: T) => void
  readonly remove: (waiter: T) => void
  /** Who is next; stays in the queue. */
  readonly first: () => T | undefined
  readonly has: (waiter: T) => boolean
  /** In order of arrival. A waiter may be removed while it is walked. */
  readonly all: () => Iterable<T>
}

/** Every so many that leave, whoever came first does, so that no flood of important calls starves the others. */
const turn = 8

/** First come, first served, within a priority; the highest priority first, but for each eighth place. */
export function fairQueue<T extends Waiter>(): Queue<T> {
  // in order of arrival
  const waiting = new Set<T>()
  const byPriority = new Map<number, Set<T>>()
  let left = 0
  return {
    size: () => waiting.size,
    push: (waiter) => {
      waiting.add(waiter)
      const peers = byPriority.get(waiter.priority) ?? new Set()
      byPriority.set(waiter.priority, peers.add(waiter))
    },
    remove: (waiter) => {
      if (!waiting.delete(waiter)) return
      left++
      const peers = byPriority.get(waiter.priority)
      peers?.delete(waiter)
      if (peers?.size === 0) byPriority.delete(waiter.priority)
    },
    first: () => {
      const [oldest] = waiting
      if (left % turn === turn - 1) return oldest
      const [first] = byPriority.get(Math.max(...byPriority.keys())) ?? []
      return first
    },
    has: (waiter) => waiting.has(waiter),
    all: () => waiting,
  }
}
