export type Waiter = { readonly priority: number }

export type Queue<T extends Waiter> = {
  /** In order of arrival. A waiter may be removed during iteration. */
  readonly all: ReadonlySet<T>
  readonly push: (waiter: T) => void
  readonly remove: (waiter: T) => void
  /** The waiter that gets the slot with this number. It stays in the queue. */
  readonly first: (slot: number) => T | undefined
}

/**
 * First in, first out within a priority, highest priority first. Every eighth slot goes to the
 * oldest waiter, so that many important calls do not starve the others.
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
    first: (slot) => {
      const [first] = slot % 8 === 7 ? all : (byPriority.get(Math.max(...byPriority.keys())) ?? [])
      return first
    },
  }
}
