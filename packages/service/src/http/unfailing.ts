/**
 * A body that calls `breakOff` where another would fail, so that its reader gets no error. The
 * maker of the body has reported its fault.
 */
export function unfailing(
  body: ReadableStream<Uint8Array>,
  breakOff: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      start: (controller) => {
        // a body also fails without a reader
        reader.closed.catch(() => {
          breakOff()
          controller.close()
        })
      },
      pull: async (controller) => {
        const part = await reader.read().catch(() => undefined)
        if (part?.done === false) controller.enqueue(part.value)
        else if (part) controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** A body whose error is reported. It fails all the same. */
export function reported(
  body: ReadableStream<Uint8Array>,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const part = await reader.read()
          if (part.done) controller.close()
          else controller.enqueue(part.value)
        } catch (error) {
          report(error)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
