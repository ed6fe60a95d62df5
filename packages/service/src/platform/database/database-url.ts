/** A URL of PostgreSQL, which may name several hosts as libpq allows ("Connection URIs"). */
export type DatabaseUrl = {
  /** A URL for each host, in their order. */
  readonly hosts: readonly string[]
  readonly target: SessionTarget
}

/** Which server of the hosts may be used, as libpq's `target_session_attrs` names them. */
export type SessionTarget = (typeof sessionTargets)[number]
export const sessionTargets = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const

/** The message about an invalid URL, which does not repeat its password. */
export const urlForm = `found no database URL, expected postgres://USER:PASSWORD@HOST:PORT/NAME; of several hosts postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?target_session_attrs=${sessionTargets[1]}`

const form = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s

/**
 * Undefined if it is no such URL. Without `target_session_attrs`, several hosts are those of a
 * failover, of which a service can only use the one that takes writes.
 */
export function readDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, scheme = '', authority = '', rest = ''] = form.exec(text) ?? []
  const user = authority.slice(0, authority.lastIndexOf('@') + 1)
  const hosts = authority
    .slice(user.length)
    .split(',')
    .map((host) => `${scheme}${user}${host}${rest}`)
  const [first = ''] = hosts
  if (!hosts.every((host) => form.test(host) && URL.canParse(host))) return undefined
  const attribute = new URL(first).searchParams.get('target_session_attrs')
  const required = attribute ?? (hosts.length > 1 ? 'read-write' : 'any')
  const target = sessionTargets.find((name) => name === required)
  return target && { hosts, target }
}
