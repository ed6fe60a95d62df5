import type { SpeakOptions } from './speak.js'

/** To a worker. It says several texts in turns, a sentence of each. */
export type SpeechOrder =
  | { readonly kind: 'speak'; readonly id: number; readonly options: SpeakOptions }
  | { readonly kind: 'cancel'; readonly id: number }

/** From a worker: once that it has loaded, then for each text its bytes and how it ended. */
export type SpeechNews =
  | { readonly kind: 'ready' }
  /** Empty: a part of the text was said, though no bytes of it need be there yet. */
  | { readonly kind: 'bytes'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
