import type { Api, Operation, SecurityScheme } from '@farebox/codegen/model'
import type { Code } from '../change/catalogue.js'
import type { DocumentNote, Note } from '../change/note.js'

/** The scopes that a caller has of each scheme. */
type Credentials = Readonly<Record<string, readonly string[]>>

/** The newer document with the older names of renamed security schemes. */
export function withFormerSchemes(base: Api, head: Api): Api {
  const former = new Map(findSameSchemes(base, head).map(({ from, to }) => [to.name, from.name]))
  if (former.size === 0) return head
  const name = (scheme: string) => former.get(scheme) ?? scheme
  return {
    ...head,
    operations: head.operations.map((operation) => ({
      ...operation,
      security: operation.security.map((set) => set.map(name)),
      ...(operation.scopes && {
        scopes: operation.scopes.map((set) =>
          Object.fromEntries(Object.entries(set).map(([scheme, all]) => [name(scheme), all])),
        ),
      }),
    })),
  }
}

/** Reports which callers an operation no longer admits, and which it admits now. */
export function compareSecurity(base: Operation, head: Operation, note: Note): void {
  const [before, after] = [listCredentials(base), listCredentials(head)]
  const report = (
    code: Code,
    sets: readonly Credentials[],
    others: readonly Credentials[],
    became: string,
  ) => {
    const found = sets.filter((one) => !others.some((wanted) => satisfies(one, wanted)))
    if (found.length > 0)
      note(code, `calls with ${found.map(describe).join(' or ')} are ${became}`, {
        from: before.map(listWords),
        to: after.map(listWords),
      })
  }
  report('security-narrowed', before, after, 'no longer admitted')
  report('security-widened', after, before, 'admitted too now')
}

function listCredentials({ security, scopes }: Operation): readonly Credentials[] {
  return security.map((set, index) =>
    Object.fromEntries(
      set.toSorted().map((scheme) => [scheme, scopes?.[index]?.[scheme]?.toSorted() ?? []]),
    ),
  )
}

/** A caller with more schemes and scopes than wanted is admitted as well. */
function satisfies(given: Credentials, wanted: Credentials): boolean {
  return Object.entries(wanted).every(([scheme, scopes]) => {
    const granted = Object.hasOwn(given, scheme) ? given[scheme] : undefined
    return granted !== undefined && scopes.every((scope) => granted.includes(scope))
  })
}

function listWords(set: Credentials): readonly string[] {
  return Object.entries(set).map(([scheme, scopes]) =>
    scopes.length === 0 ? scheme : `${scheme} (${scopes.join(', ')})`,
  )
}

function describe(set: Credentials): string {
  return listWords(set).join(' and ') || 'no credentials'
}

/** Security schemes that differ by their names only. */
function findSameSchemes(
  base: Api,
  head: Api,
): readonly { readonly from: SecurityScheme; readonly to: SecurityScheme }[] {
  const listLoneSchemes = (api: Api, other: Api) =>
    api.securitySchemes.filter(
      ({ name }) => !other.securitySchemes.some((scheme) => scheme.name === name),
    )
  const [gone, added] = [listLoneSchemes(base, head), listLoneSchemes(head, base)]
  return gone.flatMap((from) => {
    const twins = added.filter((to) => readProof(to) === readProof(from))
    const rivals = gone.filter((other) => readProof(other) === readProof(from))
    const [to] = twins
    return to !== undefined && twins.length === 1 && rivals.length === 1 ? [{ from, to }] : []
  })
}

/** Reports the changes of `components.securitySchemes`. */
export function compareSchemes(base: Api, head: Api, note: DocumentNote): void {
  const renamed = findSameSchemes(base, head)
  for (const { from, to } of renamed)
    note('security-scheme-renamed', `the security scheme ${from.name} is called ${to.name} now`, {
      from: from.name,
      to: to.name,
    })
  for (const scheme of head.securitySchemes) {
    const before = base.securitySchemes.find(({ name }) => name === scheme.name)
    if (before) compareScheme(before, scheme, isRequired(base, before), note)
    else if (!renamed.some(({ to }) => to === scheme))
      note('security-scheme-added', `the security scheme ${scheme.name} is new`)
  }
  for (const scheme of base.securitySchemes)
    if (
      !head.securitySchemes.some(({ name }) => name === scheme.name) &&
      !renamed.some(({ from }) => from === scheme)
    )
      note('security-scheme-removed', `the security scheme ${scheme.name} is gone`)
}

/** Whether an operation requires a scheme. */
function isRequired({ operations }: Api, { name }: SecurityScheme): boolean {
  return operations.some(({ security }) => security.some((set) => set.includes(name)))
}

function compareScheme(
  base: SecurityScheme,
  head: SecurityScheme,
  isUsed: boolean,
  report: DocumentNote,
): void {
  const title = `the security scheme ${head.name}`
  if (base.description !== head.description)
    report('security-scheme-described', `${title} has another description`)
  if (base.deprecated !== head.deprecated)
    report(
      head.deprecated ? 'security-scheme-deprecated' : 'security-scheme-undeprecated',
      `${title} is ${head.deprecated ? '' : 'no longer '}deprecated`,
    )
  const note: DocumentNote = isUsed
    ? report
    : (_, sentence, values) =>
        report('security-scheme-unused', `${sentence}; no operation required it`, values)
  const [from, to] = [readWire(base), readWire(head)]
  if (from !== to)
    note('security-scheme-changed', `${title} is sent in another way now`, {
      from: base,
      to: head,
    })
  else compareTokens(base, head, title, note)
}

/** What a request carries. Names of HTTP schemes and headers are case-insensitive. */
function readWire({ kind, scheme, in: place, parameter }: SecurityScheme): string {
  return JSON.stringify([
    kind,
    scheme?.toLowerCase() ?? null,
    place ?? null,
    (place === 'header' ? parameter?.toLowerCase() : parameter) ?? null,
  ])
}

/** What a request carries, and where callers get it. */
function readProof(scheme: SecurityScheme): string {
  const flows = Object.entries(scheme.flows ?? {}).map(([name, { urls, scopes }]) => [
    name,
    Object.entries(urls).map(([field, url]) => [field, normalizeUrl(url)]),
    Object.keys(scopes).toSorted(),
  ])
  return JSON.stringify([
    readWire(scheme),
    normalizeUrl(scheme.openIdConnectUrl),
    flows.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ])
}

function compareTokens(
  base: SecurityScheme,
  head: SecurityScheme,
  title: string,
  note: DocumentNote,
): void {
  compareUrl('openIdConnectUrl', base.openIdConnectUrl, head.openIdConnectUrl, title, note)
  const [before, after] = [base.flows ?? {}, head.flows ?? {}]
  for (const [name, flow] of Object.entries(after)) {
    const known = before[name]
    if (known === undefined) {
      note('security-flow-added', `${title} has the flow ${name} now`, { to: name })
      continue
    }
    for (const field of new Set([...Object.keys(known.urls), ...Object.keys(flow.urls)]))
      compareUrl(field, known.urls[field], flow.urls[field], `${title}: the flow ${name}`, note)
    compareScopes(known.scopes, flow.scopes, `${title}: the flow ${name}`, note)
  }
  for (const name of Object.keys(before))
    if (after[name] === undefined)
      note('security-flow-removed', `${title} has no flow ${name} any more`, { from: name })
}

function compareUrl(
  field: string,
  from: string | undefined,
  to: string | undefined,
  title: string,
  note: DocumentNote,
): void {
  if (normalizeUrl(from) === normalizeUrl(to)) return
  const [code, words]: readonly [Code, string] =
    from === undefined
      ? ['security-url-added', `${field} is ${to ?? ''} now`]
      : ['security-url-changed', `${field} was ${from} and is ${to ?? 'gone'} now`]
  note(code, `${title}: ${words}`, { from, to })
}

type Scopes = Readonly<Record<string, string>>

function compareScopes(before: Scopes, after: Scopes, title: string, note: DocumentNote): void {
  for (const [scope, description] of Object.entries(after)) {
    if (before[scope] === undefined)
      note('security-scope-added', `${title} has the scope ${scope} now`, { to: scope })
    else if (before[scope] !== description)
      note('security-scheme-described', `${title}: the scope ${scope} has another description`)
  }
  for (const scope of Object.keys(before))
    if (after[scope] === undefined)
      note('security-scope-removed', `${title} has no scope ${scope} any more`, { from: scope })
}

/**
 * Schemes and hosts of URLs are case-insensitive, and the default port may be left out (RFC 3986, sections
 * 6.2.2.1 and 6.2.3).
 */
export function normalizeUrl(url: string | undefined): string {
  const lower =
    url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#{}]*/i, (start) => start.toLowerCase()) ?? ''
  return lower.replace(
    /^(https:\/\/[^/?#{}:]+):443(?=[/?#]|$)|^(http:\/\/[^/?#{}:]+):80(?=[/?#]|$)/,
    '$1$2',
  )
}
