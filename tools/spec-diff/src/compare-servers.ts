import type { Server } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import type { About } from './change.js'
import { normalizeUrl } from './compare-schemes.js'

type Note = (code: Code, sentence: string, values?: Pick<About, 'from' | 'to'>) => void

/** Reports the changes of servers: of the document, or of an operation. */
export function compareServers(base: readonly Server[], head: readonly Server[], note: Note): void {
  const find = (servers: readonly Server[], { url }: Server) =>
    servers.find((one) => normalizeUrl(one.url) === normalizeUrl(url))
  for (const server of head)
    if (!find(base, server)) note('server-added', `the server ${server.url} is new`)
  for (const server of base)
    if (!find(head, server)) note('server-removed', `the server ${server.url} is gone`)
  for (const server of head) {
    const before = find(base, server)
    if (!before) continue
    const [from, to] = [before.variables, server.variables]
    if (JSON.stringify(from) !== JSON.stringify(to))
      note('server-changed', `the variables of the server ${server.url} have other defaults now`, {
        from,
        to,
      })
    if (before.description !== server.description)
      note('server-description-changed', `the server ${server.url} has another description`)
  }
}
