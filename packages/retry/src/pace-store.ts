import { isIdle, type Bucket } from './bucket.js'

/** Where processes share buckets and limits. Their clocks must agree to within a second. */
export type PaceStore = {
  /**
   * Replaces the bucket of a key by the result of `change`, which gets `undefined` for a new key.
   * The update must be atomic: a transaction with a lock, a script in the store, or a
   * compare-and-set that calls `change` again. A bucket is plain JSON. It may be deleted an hour
   * after its last update.
   */
  readonly update: (key: string, change: (bucket: Bucket | undefined) => Bucket) => Promise<void> | void
}

/**
 * A store in the memory of this process. Above a thousand buckets it deletes the oldest idle ones.
 */
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
