import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The answer to a request that is not served. */
export type Denial = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly message: string
}

export type Access = {
  readonly token: string
  /** Origins of pages that may call, such as `https://inspector.example`. */
  readonly origins: readonly string[]
  /** Requests that may run at a time. */
  readonly maxRequests: number
}

/** The facts of a request before its body is read. */
export type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/**
 * Decides about a request by its head alone, before its body is read. The token is compared in
 * constant time. A page of another origin is refused even with the token (Model Context Protocol,
 * transports, security warning).
 */
export function checkAccess(request: Head, running: number, access: Access): Denial | undefined {
  const { method, url, headers } = request
  const { origin, authorization } = headers
  if (origin !== undefined && !access.origins.includes(origin)) {
    return {
      status: 403,
      message: `The origin ${JSON.stringify(origin)} may not call this server. It can be started with --allow-origin.`,
    }
  }
  if (url?.split('?', 1)[0] !== '/mcp')
    return { status: 404, message: 'The protocol is served at /mcp.' }
  // a preflight carries no credential
  if (method === 'OPTIONS' && origin !== undefined) return undefined
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (given === undefined || !timingSafeEqual(digest(given), digest(access.token))) {
    return {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="farebox mcp"' },
      message: 'Expected the header Authorization: Bearer TOKEN, with the token of this server.',
    }
  }
  if (running >= access.maxRequests) {
    return {
      status: 503,
      headers: { 'retry-after': '1' },
      message: `${access.maxRequests} requests are running, which is the limit. Try again later.`,
    }
  }
  return undefined
}

/** The headers that let a page of an allowed origin read the answer (Fetch standard, CORS). */
export function corsHeaders({ origin }: Head['headers']): readonly (readonly [string, string])[] {
  if (origin === undefined) return []
  return [
    ['access-control-allow-origin', origin],
    ['access-control-allow-methods', 'POST'],
    [
      'access-control-allow-headers',
      'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name',
    ],
    ['vary', 'origin'],
  ]
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
