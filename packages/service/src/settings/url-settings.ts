import { expected, UsageError } from '@farebox/command-line'
import { createClientAddress } from '../platform/server/client-address.js'

/** Another service that does the work. */
export type Upstream = { readonly url: string; readonly apiKey?: string }

export function originOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw expected('--origin', text, 'one like https://api.example.com, without a path')
  }
  return url.origin
}

export function proxiesOf(list = '', proxyProtocol: boolean) {
  const trustedProxies = list.split(',').flatMap((one) => one.trim() || [])
  try {
    createClientAddress(trustedProxies)
  } catch (error) {
    throw new UsageError(`--trusted-proxies: ${error instanceof Error ? error.message : String(error)}.`)
  }
  if (!proxyProtocol || trustedProxies.length > 0) return { trustedProxies, proxyProtocol }
  throw new UsageError('--proxy-protocol: found no --trusted-proxies, expected the proxies that speak it.')
}

/** The message does not repeat the value, which holds a password. */
export function databaseUrlOf(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol))) return text
  throw new UsageError('--database-url: found no database URL, expected postgres://USER:PASSWORD@HOST:PORT/NAME.')
}

export function upstreamOf(what: string, text: string | undefined, apiKey: string | undefined): Upstream | undefined {
  if (text === undefined && apiKey === undefined) return undefined
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return { url: url.href, ...(apiKey !== undefined && { apiKey }) }
  throw new UsageError(
    `--${what}-upstream: found ${text === undefined ? 'only its key' : 'no URL that can be called'}, expected one like https://${what}.example/v1, without a user, a query or a fragment.`,
  )
}
