/** The longest text that a service has to say about a sign-in or a payment, in characters. */
const mostCharacters = 65_536

/**
 * The beginning of a body as text, until it is long enough or the connection breaks. The rest is cancelled, so that a body without an end, or
 * a small one that decompresses without end, costs no more than that.
 */
export async function readStart({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < mostCharacters) {
      const part = (await reader?.read())?.value
      if (!part) break
      text += decoder.decode(part, { stream: true })
    }
  } catch {
    // the beginning is all there is
  }
  void reader?.cancel().catch(() => undefined)
  return text
}

/** A body of JSON that is no longer than that; undefined for anything else. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await readStart(response))
  } catch {
    return undefined
  }
}
