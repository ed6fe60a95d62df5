export type Waiter = { readonly priority: number }

export type Queue<T extends Waiter> = {
  /** In order of arrival. A waiter may be removed while it is walked. */
  readonly all: ReadonlySet<T>
  readonly push: (waiter: T) => void
  readonly remove: (waiter: T) => void
  /** Who gets the place of that number; stays in the queue. */
  readonly first: (place: number) => T | undefined
}

/**
 * First come, first served, within a priority; the highest priority first, but for each eighth place, so that no flood of important calls
 * starves the others.
 */
export function fairQueue<T extends Waiter>(): Queue<T> {
  const all = new Set<T>()
  const byPriority = new Map<number, Set<T>>()
  return {
    all,
    push: (waiter) => {
      all.add(waiter)
      byPriority.set(waiter.priority, (byPriority.get(waiter.priority) ?? new Set()).add(waiter))
    },
    remove: (waiter) => {
      all.delete(waiter)
      const peers = byPriority.get(waiter.priority)
      peers?.delete(waiter)
      if (peers?.size === 0) byPriority.delete(waiter.priority)
    },
    first: (place) => {
      const [first] = place % 8 === 7 ? all : (byPriority.get(Math.max(...byPriority.keys())) ?? [])
      return first
    },
  }
}
