import type { Card } from './draw-card.js'
import type { Sound } from './find-sounds.js'

/** Work for the thread. It may take long, or never end, and must not stop the process meanwhile. */
export type Task =
  /** A value for a JSON Schema, which the field of a request has. */
  | {
      readonly kind: 'sample'
      readonly schema: unknown
      readonly seed: number
      readonly field: string
    }
  | { readonly kind: 'draw'; readonly card: Card }
  | { readonly kind: 'listen'; readonly audio: Uint8Array; readonly format: string }

export type TaskResults = {
  readonly sample: string
  /** A PNG file. */
  readonly draw: Uint8Array
  readonly listen: readonly Sound[]
}

/** From the thread, for each task: that it was begun, and then its end. */
export type TaskNews =
  /** What the task needs is loaded. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'done'; readonly result: TaskResults[keyof TaskResults] }
  /** The request is at fault. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
