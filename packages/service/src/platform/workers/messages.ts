/** What the pool sends to a worker: one task at a time. */
export type Task = { readonly bytes: Uint8Array }

/** What a worker sends: once that it has loaded, then one answer for each task. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly value: unknown }
  /** `spent`: the worker is still busy with the task and has to be stopped. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly spent: boolean }
