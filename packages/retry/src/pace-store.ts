import { isIdle, type Bucket } from './bucket.js'

/** Where budgets lie. One that several processes share lets them live on one budget; their clocks must agree to within a second. */
export type PaceStore = {
  /**
   * Replaces the budget of a key by what `change` makes of it (of `undefined`, where there is none), with no other update in between: a
   * transaction with a lock, a script in the store, or a compare-and-set that calls `change` again. A budget is plain JSON. It may be
   * forgotten an hour after its last update.
   */
  readonly update: (key: string, change: (bucket: Bucket | undefined) => Bucket) => Promise<void> | void
}

/** A store in the memory of this process. Of more than a thousand budgets the first that nothing is under way for are forgotten. */
export function memoryStore(): PaceStore {
  const buckets = new Map<string, Bucket>()
  return {
    update: (key, change) => {
      const bucket = change(buckets.get(key))
      buckets.set(key, bucket)
      if (buckets.size > 1000) for (const [one, bucket] of buckets) if (isIdle(bucket) && buckets.size > 500) buckets.delete(one)
    },
  }
}
