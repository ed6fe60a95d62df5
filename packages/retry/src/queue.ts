export type Waiter = { readonly priority: number }

export type Queue<T extends Waiter> = {
  /** In order of arrival. A waiter may be removed while it is walked. */
  readonly all: ReadonlySet<T>
  readonly push: (waiter: T) => void
  /** Counts one that had nobody before it, and did not wait. */
  readonly pass: () => void
  readonly remove: (waiter: T) => void
  /** Who is next; stays in the queue. */
  readonly first: () => T | undefined
}

/** Every so many that leave, whoever came first does, so that no flood of important calls starves the others. */
const turn = 8

/** First come, first served, within a priority; the highest priority first, but for each eighth place. */
export function fairQueue<T extends Waiter>(): Queue<T> {
  const all = new Set<T>()
  const byPriority = new Map<number, Set<T>>()
  let left = 0
  return {
    all,
    push: (waiter) => {
      all.add(waiter)
      byPriority.set(waiter.priority, (byPriority.get(waiter.priority) ?? new Set()).add(waiter))
    },
    pass: () => void left++,
    remove: (waiter) => {
      if (!all.delete(waiter)) return
      left++
      const peers = byPriority.get(waiter.priority)
      peers?.delete(waiter)
      if (peers?.size === 0) byPriority.delete(waiter.priority)
    },
    first: () => {
      const [first] = left % turn === turn - 1 ? all : (byPriority.get(Math.max(...byPriority.keys())) ?? [])
      return first
    },
  }
}
