import type { TextParseErrorCode } from './text-parse-error.js'

/** What the pool sends to a worker: one file at a time. */
export type ParseRequest = { readonly bytes: Uint8Array }

/** What a worker sends: once that it has loaded, then one answer for each file. */
export type ParseAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'parsed'; readonly text: string; readonly tokens: number }
  /** `spent`: the worker is still busy with the file and has to be stopped. */
  | { readonly kind: 'failed'; readonly code: TextParseErrorCode; readonly message: string; readonly spent: boolean }
