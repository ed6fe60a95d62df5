/** A body that is larger than the caller wants to hold. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/** A body that ended before or after the length that its header gave. */
export class WrongLengthError extends Error {
  override readonly name = 'WrongLengthError'
}

/**
 * A whole body as text, read no further than `maxBytes`. Rejects with TooLargeError, with WrongLengthError, or with what the platform throws when the
 * connection breaks. The header of a body that was encoded on its way tells the length of the encoded one, and is left out of it.
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const length = lengthOf(response)
  if (length !== undefined && length > maxBytes) {
    await response.body?.cancel()
    throw new TooLargeError(`it is ${length} bytes long, more than the ${maxBytes} that are taken`)
  }
  const { body } = response
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > maxBytes) {
      await reader.cancel()
      throw new TooLargeError(`it is longer than the ${maxBytes} bytes that are taken`)
    }
    text += decoder.decode(value, { stream: true })
  }
  if (length !== undefined && size !== length) throw new WrongLengthError(`it has ${size} bytes, and its header said ${length}`)
  return text + decoder.decode()
}

function lengthOf({ headers }: Response): number | undefined {
  const text = headers.get('content-length')
  return text === null || !/^\d+$/.test(text) || headers.has('content-encoding') ? undefined : Number(text)
}
