const token = /[\w!#$%&'*+.^`|~-]+/y
const quoted = /"((?:[^"\\]|\\.)*)"/y
const gap = /[ \t]*/y

/**
 * The `for` nodes of a Forwarded header without their ports, the first proxy's first (RFC 7239,
 * section 4). An element without `for` is `unknown`. Empty for a malformed header, so that nothing
 * in it is believed; undefined without the header.
 */
export function forwardedFor(header: string | null): readonly string[] | undefined {
  if (header === null) return undefined
  const nodes: string[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(header)
    if (found) at = pattern.lastIndex
    return found
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
        node = withoutPort(inner?.replaceAll(/\\(.)/g, '$1') ?? text)
      }
      take(gap)
    } while (header[at] === ';' && ++at)
    nodes.push(node ?? 'unknown')
    if (at === header.length) return nodes
    if (header[at++] !== ',') return []
  }
}

/** An IPv6 address has its port after brackets. */
export function withoutPort(node: string): string {
  const [, six, four] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(node) ?? []
  return six ?? four ?? node
}
