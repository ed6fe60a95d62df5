/** Makes a file of sound, part by part. Bytes go to the sink that it was made with. */
export type SpeechEncoder = {
  /** Samples of 16 bits, mono, at the output rate. */
  readonly add: (samples: Int16Array) => Promise<void>
  /** The last bytes are with the sink when this is done. */
  readonly finish: () => Promise<void>
}

export type Sink = (bytes: Uint8Array) => void
