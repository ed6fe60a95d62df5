/** A response without the common headers. */
export type Reply = {
  readonly status: number
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the caller caused a failure. Default: by status (`isCallersFault`). */
  readonly callersFault?: boolean
  /** Whether the work has failed, once the body has ended. Such a reply is not repeated. */
  readonly isBroken?: () => boolean
}

/** Headers with names in lower case, so that none is there twice. */
export function lowered(
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const result: Record<string, string> = {}
  for (const name of Object.keys(headers)) result[name.toLowerCase()] = headers[name] ?? ''
  return result
}
