import { expected, UsageError } from '@farebox/command-line'
import { createClientAddress } from '../../platform/server/client-address.js'

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
