import { request, type IncomingMessage } from 'node:http'

export type Message = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** Where the caller hangs up: in the middle of its body, or of the response. */
export type HangUp = 'in the request' | 'in the response'

/** What a caller saw of its request. */
export type RequestOutcome =
  /** No head of a response came, so the outcome is unknown. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'response'
      readonly status: number
      readonly requestId: string
      /** Whether the whole body came. */
      readonly isWhole: boolean
      readonly body: Buffer
    }

/** A request without a response for this time is lost. */
const patienceMs = 30_000

/** Sends a request on a connection of its own. Never rejects. */
export function send(
  origin: string,
  { method, path, headers, body }: Message,
  hangUp?: HangUp,
): Promise<RequestOutcome> {
  return new Promise((resolve) => {
    const options = {
      method,
      agent: false,
      headers: { ...headers, 'content-length': String(body?.length ?? 0) },
    }
    const sent = request(`${origin}/api/v1${path}`, options)
    const timer = setTimeout(() => sent.destroy(), patienceMs)
    const end = (seen: RequestOutcome) => {
      clearTimeout(timer)
      sent.destroy()
      resolve(seen)
    }
    sent.on('error', () => end({ kind: 'lost' }))
    sent.once('close', () => end({ kind: 'lost' }))
    sent.once('response', (response) => {
      read(response, hangUp === 'in the response', end)
    })
    if (hangUp === 'in the request')
      sent.write(body?.subarray(0, body.length / 2) ?? '', () => end({ kind: 'lost' }))
    else sent.end(body)
  })
}

function read(
  response: IncomingMessage,
  leavesEarly: boolean,
  end: (seen: RequestOutcome) => void,
): void {
  const chunks: Buffer[] = []
  const seen = (isWhole: boolean): RequestOutcome => ({
    kind: 'response',
    status: response.statusCode ?? 0,
    requestId: String(response.headers['x-request-id'] ?? ''),
    isWhole,
    body: Buffer.concat(chunks),
  })
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    if (leavesEarly) end(seen(false))
  })
  response.once('end', () => end(seen(true)))
  response.on('error', () => end(seen(false)))
}
