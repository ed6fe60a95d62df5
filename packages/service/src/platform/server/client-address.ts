import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Determines the client of a connection or a request. */
export type ClientAddress = {
  /**
   * The address of a connection, under which its limits count: IPv6 by its /64, which is one
   * customer.
   */
  readonly ofPeer: (peer: string | undefined) => string
  /** The address behind trusted proxies, from `Forwarded` and `X-Forwarded-For`. */
  readonly ofRequest: (peer: string | undefined, headers: Headers) => string
  readonly isProxy: (peer: string | undefined) => boolean
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * `proxies`: the addresses and CIDR ranges of proxies. Throws a RangeError for an invalid one.
 * Headers of any other peer are ignored, since anybody can send them. Each proxy appends the
 * address of its peer to a header, so the client is the rightmost address that is not a proxy. A
 * request counts for its proxy if a header is malformed, or if the two headers name different
 * clients: then one of them comes from the client.
 */
export function createClientAddress(proxies: readonly string[] = []): ClientAddress {
  const ranges = proxies.map(parseRange)
  const isProxy = (peer: string | undefined) => {
    const address = ranges.length === 0 ? undefined : parseAddress(peer)
    return (
      address !== undefined &&
      ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
    )
  }
  const findClient = (chain: readonly string[]) => {
    const hop = chain.findLast((one) => !isProxy(one)) ?? chain[0]
    return parseAddress(hop) && groupAddress(hop)
  }

  return {
    ofPeer: groupAddress,
    ofRequest: (peer, headers) => {
      if (!isProxy(peer)) return groupAddress(peer)
      const chains = [
        parseForwarded(headers.get('forwarded')),
        parseForwardedList(headers.get('x-forwarded-for')),
      ]
      const clients = new Set(chains.filter((chain) => chain !== undefined).map(findClient))
      const [client] = clients
      return clients.size === 1 && client !== undefined ? client : groupAddress(peer)
    },
    isProxy,
  }
}

function parseForwardedList(value: string | null): readonly string[] | undefined {
  return value?.split(',').map((hop) => removePort(hop.trim()))
}

function parseRange(text: string): Range {
  const [address = '', bits, ...rest] = text.split('/')
  const range = parseAddress(address)
  const whole = range?.kind() === 'ipv4' ? 32 : 128
  // a mapped range counts the bits before the IPv4 address too
  const skipped = range?.kind() === 'ipv4' && isIP(address) === 6 ? 96 : 0
  const length = bits === undefined ? whole : Number(bits) - skipped
  if (
    range === undefined ||
    rest.length > 0 ||
    !/^\d{1,3}$/.test(bits ?? '0') ||
    length < 0 ||
    length > whole
  ) {
    throw new RangeError(
      `"${text}" is neither an address nor a CIDR range; expected one like 10.0.0.0/8, 192.0.2.1 or 2001:db8::/32`,
    )
  }
  return [range, length]
}

/** The strict test comes first, since ipaddr.js also reads forms such as 0x7f.1. */
function parseAddress(text = ''): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text)
}

function groupAddress(peer = 'unknown'): string {
  const address = parseAddress(peer)
  if (address === undefined) return peer
  if (!('parts' in address)) return address.toString()
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}

const token = /[\w!#$%&'*+.^`|~-]+/y
const quoted = /"((?:[^"\\]|\\.)*)"/y
const gap = /[ \t]*/y

/**
 * The `for` nodes of a Forwarded header without their ports, the first proxy's first (RFC 7239,
 * section 4). An element without `for` is `unknown`. Empty for a malformed header, which is not
 * trusted at all. Undefined without the header.
 */
function parseForwarded(header: string | null): readonly string[] | undefined {
  if (header === null) return undefined
  const nodes: string[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match) at = pattern.lastIndex
    return match
  }
  for (;;) {
    let node: string | undefined
    do {
      take(gap)
      const [name] = take(token) ?? []
      if (name === undefined || header[at++] !== '=') return []
      const [text, inner] = take(quoted) ?? take(token) ?? []
      if (text === undefined) return []
      if (name.toLowerCase() === 'for') {
        if (node !== undefined) return []
        node = removePort(inner?.replaceAll(/\\(.)/g, '$1') ?? text)
      }
      take(gap)
    } while (header[at] === ';' && ++at)
    nodes.push(node ?? 'unknown')
    if (at === header.length) return nodes
    if (header[at++] !== ',') return []
  }
}

/** An IPv6 address has its port after brackets. */
function removePort(node: string): string {
  const [, six, four] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(node) ?? []
  return six ?? four ?? node
}

/** Whether the host of a URL, or an address to listen at, is this machine and no other. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host)
}
