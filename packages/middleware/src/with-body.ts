/** Where the chunks of a body come from. The reader of a stream is one. */
export type BodySource = {
  readonly read: ReadableStreamDefaultReader<Uint8Array>['read']
  readonly cancel: (reason?: unknown) => Promise<void>
}

/**
 * Returns the response with another body. A chunk is read when the caller asks for one. When `read`
 * rejects, the reader of the body gets that error. `url`, `redirected` and
 * `type` are copied, since a constructed Response has none of its own.
 */
export function withBody(response: Response, { read, cancel }: BodySource): Response {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const part = await read()
    if (part.done) controller.close()
    else controller.enqueue(part.value)
  }
  // the status and the headers are taken from the response
  const copy = new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), response)
  for (const name of ['url', 'redirected', 'type'] as const) Object.defineProperty(copy, name, { value: response[name] })
  return copy
}
