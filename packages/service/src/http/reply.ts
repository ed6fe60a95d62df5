/** An answer before it has the headers that every answer has, so that all of them are set at once. */
export type Reply = {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the caller caused a failure. Default: by its status (`isCallersFault`). */
  readonly callersFault?: boolean
}

/** Headers that may be written in any case, so that none is there twice. */
export function lowered(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const result: Record<string, string> = {}
  for (const name of Object.keys(headers)) result[name.toLowerCase()] = headers[name] ?? ''
  return result
}
