import type { SpeakOptions } from './speak.js'

/** To the thread of the synthesizer, which makes one sentence at a time. */
export type SpeechOrder =
  /** The next sentence of a text. The first order for a text has its `options`. */
  | { readonly kind: 'next'; readonly id: number; readonly options?: SpeakOptions }
  /** A text that is not finished is not wanted any more. */
  | { readonly kind: 'drop'; readonly id: number }

/** From the thread: `ready` once it has loaded, then one answer for each sentence. */
export type SpeechNews =
  | { readonly kind: 'ready' }
  | { readonly kind: 'made'; readonly bytes: Uint8Array; readonly isLast: boolean }
  | { readonly kind: 'failed'; readonly message: string }
