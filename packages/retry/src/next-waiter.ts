export type Waiter = { readonly priority: number }

/** The number of a slot that the oldest waiter gets. */
export const oldestFirst = 7

/**
 * The waiter that gets the slot with this number: the highest priority first, within a priority in
 * order of arrival. Every eighth slot goes to the oldest waiter, so that many important calls do
 * not starve the others. It stays in the queue.
 */
export function nextWaiter<T extends Waiter>(queue: ReadonlySet<T>, slot: number): T | undefined {
  let [next] = queue
  if (slot % 8 < 7) for (const waiter of queue) if (waiter.priority > (next?.priority ?? 0)) next = waiter
  return next
}
