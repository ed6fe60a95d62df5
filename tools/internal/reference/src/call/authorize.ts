import type { SchemeData } from '../contract/operation-data.js'
import type { Secrets } from '../session/session.js'
import type { PlannedRequest } from './request.js'

/**
 * Adds credentials to a request. A page cannot set a cookie for another host: the browser sends its
 * own, if the server allows that.
 */
export function authorize(
  request: PlannedRequest,
  schemes: readonly SchemeData[],
  secrets: Secrets,
): PlannedRequest {
  const url = new URL(request.url)
  const headers: Record<string, string> = { ...request.headers }
  for (const { name, carrier, parameter } of schemes) {
    const secret = secrets[name] ?? ''
    if (carrier === 'query') {
      if (secret !== '') url.searchParams.set(parameter, secret)
    } else if (carrier !== 'cookie' && secret !== '')
      headers[parameter] = {
        bearer: `Bearer ${secret}`,
        basic: `Basic ${encodeBasic(secret)}`,
        header: secret,
      }[carrier]
  }
  const sendsCookies = schemes.some(({ carrier }) => carrier === 'cookie')
  return {
    ...request,
    url: url.href,
    headers,
    ...(sendsCookies && { credentials: 'include' as const }),
  }
}

/** The texts that a trace must not show. */
export function listSecrets(schemes: readonly SchemeData[], secrets: Secrets): readonly string[] {
  return schemes.flatMap(({ name, carrier }) => {
    const secret = secrets[name] ?? ''
    if (secret === '' || carrier === 'cookie') return []
    return [
      secret,
      encodeURIComponent(secret),
      ...(carrier === 'basic' ? [encodeBasic(secret)] : []),
    ]
  })
}

function encodeBasic(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
