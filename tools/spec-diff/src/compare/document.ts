import type { Api, Server } from '@farebox/codegen/model'
import type { ChangeList } from '../change/change-list.js'
import type { DocumentNote } from '../change/note.js'
import { compareSchemes, normalizeUrl } from './security.js'

/** Reports the changes that concern no operation and no schema. */
export function compareDocument(base: Api, head: Api, changes: ChangeList): void {
  const spot = { side: 'head', origin: { file: head.source, pointer: '' } } as const
  const note: DocumentNote = (code, sentence, values) =>
    changes.note(code, sentence, spot, {
      direction: 'none',
      subject: { kind: 'document' },
      ...values,
    })
  compareInfo(base, head, note)
  compareServers(base.servers, head.servers, note)
  compareSchemes(base, head, note)
  compareTables(base, head, note)
}

function compareInfo(base: Api, head: Api, note: DocumentNote): void {
  const [from, to] = [base, head]
  if (from.title !== to.title)
    note('info-title-changed', `the title was ${from.title} and is ${to.title} now`, {
      from: from.title,
      to: to.title,
    })
  if (from.version !== to.version)
    note('info-version-changed', `the version was ${from.version} and is ${to.version} now`, {
      from: from.version,
      to: to.version,
    })
  if (from.description !== to.description)
    note('info-description-changed', 'the document has another description')
}

function compareTables(base: Api, head: Api, note: DocumentNote): void {
  for (const name of new Set([...Object.keys(base.extensions), ...Object.keys(head.extensions)])) {
    const [from, to] = [base.extensions[name], head.extensions[name]]
    if (from === undefined) note('table-added', `the table ${name} is new`)
    else if (to === undefined) note('table-removed', `the table ${name} is gone`)
    else if (JSON.stringify(from) !== JSON.stringify(to))
      note('table-changed', `the table ${name} has other values now`, { from, to })
  }
}

/** Paths follow the URL of a server, with or without a slash at its end. */
function toServerKey({ url }: Pick<Server, 'url'>): string {
  return normalizeUrl(url).replace(/\/+$/, '')
}

/** Finds the first server with the same URL, else the first whose URL means the same. */
function createFinder(servers: readonly Server[]): (server: Server) => Server | undefined {
  const [byUrl, byKey] = [new Map<string, Server>(), new Map<string, Server>()]
  for (const server of servers.toReversed()) {
    byUrl.set(server.url, server)
    byKey.set(toServerKey(server), server)
  }
  return (server) => byUrl.get(server.url) ?? byKey.get(toServerKey(server))
}

/** Reports the changes of servers: of the document, or of an operation. */
export function compareServers(
  base: readonly Server[],
  head: readonly Server[],
  note: DocumentNote,
): void {
  const [findInBase, findInHead] = [createFinder(base), createFinder(head)]
  for (const server of head)
    if (!findInBase(server)) note('server-added', `the server ${server.url} is new`)
  for (const server of base)
    if (!findInHead(server)) note('server-removed', `the server ${server.url} is gone`)
  const [from, to] = [base[0]?.url, head[0]?.url]
  // one that is gone is reported already
  if (base[0] && head[0] && findInHead(base[0]) && findInHead(base[0]) !== head[0])
    note('server-changed', `calls without a base URL go to the server ${to} now`, { from, to })
  for (const server of head) {
    const before = findInBase(server)
    if (!before) continue
    if (before.url !== server.url)
      note(
        'server-description-changed',
        `the server ${before.url} is written ${server.url} now, which means the same`,
        { from: before.url, to: server.url },
      )
    compareVariables(before, server, note)
    if (before.description !== server.description)
      note('server-description-changed', `the server ${server.url} has another description`)
  }
}

/** A variable with fewer values has servers that are gone, and one with more has new servers. */
function compareVariables(before: Server, after: Server, note: DocumentNote): void {
  for (const [name, to] of Object.entries(after.variables)) {
    const from = before.variables[name]
    if (!from) continue
    const variable = `the variable ${name} of the server ${after.url}`
    const values = { from: from.values, to: to.values }
    if (isNarrower(to, from)) note('server-removed', `${variable} takes fewer values now`, values)
    if (isNarrower(from, to)) note('server-added', `${variable} takes more values now`, values)
    if (from.default !== to.default)
      note('server-changed', `${variable} has another default now`, {
        from: from.default,
        to: to.default,
      })
    if (from.description !== to.description)
      note('server-description-changed', `${variable} has another description`)
  }
}

type Variable = Server['variables'][string]

/** Whether the first does not accept a value of the second. A variable without an enum accepts any. */
function isNarrower({ values }: Variable, { values: others }: Variable): boolean {
  if (values.length === 0) return false
  return others.length === 0 || others.some((value) => !values.includes(value))
}
