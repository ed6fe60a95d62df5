import type { Environment } from '../command.js'
import { fail, pass, warn, type Finding } from './finding.js'

/** The oldest Node that is supported. */
const least = [20, 19] as const
/** The first releases of Node that can use the proxy variables of the environment. */
const proxied = [
  [22, 21],
  [24, 0],
] as const

export function checkNode(version: string): Finding {
  if (isFrom(version, least)) return pass('node', `Node ${version}`)
  return fail(
    'node',
    `Node ${version}`,
    `Install Node ${least.join('.')} or later from https://nodejs.org.`,
  )
}

/**
 * Whether the proxy of the environment is used. Node ignores it unless it is enabled, and then
 * connects on its own, which a network behind a proxy does not allow.
 */
export function checkProxy(
  environment: Environment,
  baseUrl: string | undefined,
  version: string,
): Finding {
  const { protocol = 'https:', hostname = '' } = baseUrl === undefined ? {} : new URL(baseUrl)
  const names = protocol === 'http:' ? ['HTTP_PROXY', 'http_proxy'] : ['HTTPS_PROXY', 'https_proxy']
  const name = names.find((one) => (environment[one] ?? '') !== '')
  if (name === undefined) return pass('proxy', 'none is set')
  if (isLoopback(hostname)) return pass('proxy', `${name} is set, and not for this machine`)
  if (passes(environment['NO_PROXY'] ?? environment['no_proxy'] ?? '', hostname))
    return pass('proxy', `NO_PROXY leaves ${hostname} out of ${name}`)
  const knows =
    isFrom(version, proxied[1]) || (isFrom(version, proxied[0]) && version.startsWith('22.'))
  if (knows && environment['NODE_USE_ENV_PROXY'] === '1') return pass('proxy', `${name} is used`)
  const advice = knows
    ? 'Set NODE_USE_ENV_PROXY=1.'
    : 'Set NODE_USE_ENV_PROXY=1 and use Node 22.21, 24 or later: older ones do not know it.'
  return warn('proxy', `${name} is set, and Node does not use it`, advice)
}

function isFrom(version: string, [major, minor]: readonly [number, number]): boolean {
  const [own = 0, part = 0] = version.split('.').map(Number)
  return own > major || (own === major && part >= minor)
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

function passes(list: string, hostname: string): boolean {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^\*?\./, ''))
    .some(
      (entry) =>
        entry !== '' && (entry === '*' || hostname === entry || hostname.endsWith(`.${entry}`)),
    )
}
