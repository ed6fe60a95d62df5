/** The work of one request, in the units of prices. */
export type Work = {
  readonly model: string
  /** Code points of a text to speak. */
  readonly characters?: number
  /** Of a video. */
  readonly seconds?: number
  /** Of a document. */
  readonly bytes?: number
  /** Tokens of the prompt or the inputs. */
  readonly inputTokens?: number
  /** Tokens of completions. */
  readonly outputTokens?: number
  readonly images?: number
  /** Of a recording. */
  readonly minutes?: number
}
