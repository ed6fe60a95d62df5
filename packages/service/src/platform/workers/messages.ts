/** From the pool to a worker, one at a time. */
export type Task = { readonly bytes: Uint8Array }

/** From a worker: `ready` once it has loaded, then one answer for each task. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly value: unknown }
  /** `spent`: the worker is still busy and must be stopped. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly spent: boolean }
