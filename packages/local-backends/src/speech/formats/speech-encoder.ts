/** Encodes sound into a sink. */
export type SpeechEncoder = {
  /** Samples of 16 bits, mono, at the output rate. */
  readonly add: (samples: Int16Array) => Promise<void>
  /** Resolves once the sink has the last bytes. */
  readonly finish: () => Promise<void>
  /** Frees what an encoder holds that is not finished. */
  readonly drop: () => Promise<void>
}

export type Sink = (bytes: Uint8Array) => void
