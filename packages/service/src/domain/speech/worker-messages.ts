import type { SpeakOptions } from './speak.js'

/** To a worker, which speaks several texts in turns, one sentence at a time. */
export type SpeechOrder =
  | { readonly kind: 'speak'; readonly id: number; readonly options: SpeakOptions }
  | { readonly kind: 'cancel'; readonly id: number }

/** From a worker: `ready` once it has loaded, then the bytes and the end of each text. */
export type SpeechNews =
  | { readonly kind: 'ready' }
  /** Empty: a part of the text was spoken, and its bytes may follow later. */
  | { readonly kind: 'bytes'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
