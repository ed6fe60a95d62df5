import type { Tell } from './exchange.js'
import { isStream } from './is-stream.js'
import { shownBody, shownHeaders } from './redact.js'

/** The trace shows so many characters of a body. */
const shownCharacters = 20_000

/**
 * A fetch that tells of each request and its response once the response begins; of a text, once it
 * is complete, and a stream is read meanwhile. It stands innermost, so that it sees what each middleware adds and repeats.
 */
export function recordingFetch(
  record: Tell,
  send: typeof fetch = (...given) => fetch(...given),
): typeof fetch {
  return async (input, init) => {
    const request = {
      headers: shownHeaders(new Headers(init?.headers)),
      body: bodyText(init?.body),
    }
    const url = input instanceof Request ? input.url : String(input)
    const step = { kind: 'exchange', method: init?.method ?? 'GET', url, request } as const
    const start = performance.now()
    const passed = () => performance.now() - start
    let response: Response
    try {
      response = await send(input, init)
    } catch (error) {
      record({ ...step, status: undefined, ms: passed(), response: { headers: {}, body: '' } })
      throw error
    }
    const ms = passed()
    const { status } = response
    const headers = shownHeaders(response.headers)
    const recorded = responseText(response).then((body) =>
      record({ ...step, status, ms, response: { headers, body } }),
    )
    if (!isStream(response)) await recorded
    // its reader is told of a stream that breaks
    else recorded.catch(() => undefined)
    return response
  }
}

function bodyText(body: BodyInit | null | undefined): string {
  if (body === undefined || body === null) return ''
  if (typeof body === 'string') return cut(shownBody(body))
  if (body instanceof FormData)
    return [...body]
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : file(value)}`)
      .join('\n')
  return '(bytes)'
}

function file({ name, size }: File): string {
  return `${name}, ${size} bytes`
}

/** The response stays unread: text is read from a copy, and bytes are not copied. */
async function responseText(response: Response): Promise<string> {
  const type = response.headers.get('content-type') ?? ''
  if (response.body === null) return ''
  if (!/json|^text\//.test(type)) return `(${type || 'bytes'})`
  return cut(shownBody(await response.clone().text()))
}

function cut(text: string): string {
  return text.length > shownCharacters
    ? `${text.slice(0, shownCharacters)}\n… ${text.length - shownCharacters} characters more`
    : text
}
