/** The longest response to a sign-in or a payment that is read, in characters. */
const mostCharacters = 65_536

/**
 * Reads the beginning of a body as text, until the limit or until the connection breaks. The rest
 * is cancelled, so that an endless body, or a small one that decompresses without end, costs no
 * more.
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
    // the connection broke: use what was read
  }
  void reader?.cancel().catch(() => undefined)
  return text
}

/** A JSON body within that limit; undefined for anything else. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await readStart(response))
  } catch {
    return undefined
  }
}
