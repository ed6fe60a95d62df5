import type { Api } from '@farebox/codegen'
import { hashOf } from '../hash.js'
import { isSimilar } from './is-similar.js'

type Origin = Api['schemas'][number]['origin']

/** What a name of the contract stands for. A `value` is one of an enum. */
export type RenamedKind = 'operation' | 'schema' | 'parameter' | 'property' | 'value'

/** A name that one version has and the other lacks. */
export type LoneName = {
  readonly name: string | number
  /** Names with equal texts may stand for the same thing. */
  readonly shape: string
  readonly origin: Origin
  /** What the newer document says that it was called. */
  readonly renamedFrom?: unknown
}

/** A new name that a gone one may have now. */
export type Candidate = {
  /** The same pair has the same id in every comparison. */
  readonly id: string
  readonly kind: RenamedKind
  /** What has the name: a schema, or the operation of a parameter. Others have none. */
  readonly owner?: string
  readonly from: string | number
  readonly to: string | number
  readonly origin: Origin
}

export type Place = { readonly kind: RenamedKind; readonly owner?: string }

/** More new names without any likeness to the gone one say nothing. */
const most = 3

/**
 * The new names of the same place that a gone one may have now: those of the same shape. Where one
 * of two is similar, the other is none. Several candidates mean that nothing tells which one it is.
 */
export function possibleRenames(
  { kind, owner }: Place,
  gone: readonly LoneName[],
  added: readonly LoneName[],
): (name: LoneName['name']) => readonly Candidate[] {
  const stated = new Set(added.map(({ renamedFrom }) => renamedFrom))
  const pairs = gone
    .filter(({ name }) => !stated.has(name))
    .flatMap((from) =>
      added
        .filter((to) => to.renamedFrom === undefined && to.shape === from.shape)
        .map((to) => ({ from: from.name, to, isSimilar: isSimilar(String(from.name), String(to.name)) })),
    )
  const similar = pairs.filter((pair) => pair.isSimilar)
  const rest = pairs.filter(({ from, to }) => !similar.some((one) => one.from === from || one.to === to))
  const unlike = rest.filter(
    ({ from, to }) => rest.filter((one) => one.from === from).length <= most && rest.filter((one) => one.to === to).length <= most,
  )
  const candidates = [...similar, ...unlike].map(({ from, to: { name, origin } }): Candidate => {
    const id = `rename-${hashOf(JSON.stringify([kind, owner, from, name]))}`
    return { id, kind, ...(owner !== undefined && { owner }), from, to: name, origin }
  })
  return (name) => candidates.filter(({ from }) => from === name)
}
