import type { Api, Operation } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import { sameSchemes } from './compare-schemes.js'
import type { Note } from './note-operation.js'

/** The scopes that a caller has of each scheme. */
type Credentials = Readonly<Record<string, readonly string[]>>

/** The newer document with the older names of the security schemes that are only renamed. */
export function withFormerSchemes(base: Api, head: Api): Api {
  const former = new Map(sameSchemes(base, head).map(({ from, to }) => [to.name, from.name]))
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
