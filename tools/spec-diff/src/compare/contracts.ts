import { type Api, isObject } from '@farebox/codegen/model'
import type { Change, PossibleRename } from '../change/change.js'
import { createChangeList } from '../change/change-list.js'
import { compareCalls, findMoves } from './calls.js'
import { compareDocument } from './document.js'
import { compareExtras, type Extras } from './extras.js'
import { compareNames } from './names.js'
import { compareOperations } from './operations.js'
import { withFormerSchemes } from './security.js'
import { createSides } from '../difference/side.js'
import { compareXml, type Xml } from './xml.js'
import { hopsOfAll } from '../witness/find-witness.js'

/** A version of a contract: the operations, and the requests that the service sends. */
export type Contract = {
  readonly api: Api
  /** Webhooks and callbacks, as operations. */
  readonly calls?: Api
  /** Links of responses and headers of parts, which no generated code has. */
  readonly extras?: Extras
  /** Bodies of XML. */
  readonly xml?: Xml
}

/**
 * Reports changes by operation, then those of webhooks and callbacks, of exported schema names, and
 * of the rest. `hops` limits the search for witnesses: how many references it may follow.
 */
export function compareContracts(
  base: Contract,
  head: Contract,
  hops = hopsOfAll,
): readonly Change[] {
  const sides = createSides(base.api, head.api)
  const changes = createChangeList({ base: base.api, head: head.api }, hops, sides.findDifference)
  compareOperations(base.api, withFormerSchemes(base.api, head.api), { changes, ...sides })
  compareExtras(base, head, changes)
  compareXml(base, head, changes)
  const [before, after] = [selectCalls(base), selectCalls(head)]
  if (before.operations.length + after.operations.length > 0)
    compareCalls(before, after, findMoves(base.api, head.api), changes)
  compareNames(base.api, head.api, [before, after], { changes, ...sides })
  compareDocument(base.api, head.api, changes)
  return changes.all()
}

/** The same for documents without webhooks and callbacks. */
export function compareApi(base: Api, head: Api, hops?: number): readonly Change[] {
  return compareContracts({ api: base }, { api: head }, hops)
}

function selectCalls({ api, calls }: Contract): Api {
  return calls ?? { ...api, operations: [] }
}

/**
 * The newer version as if its document stated these renames by `x-renamed-from`. A confirmed rename
 * is thus read where a stated one is.
 */
export function withRenames(
  { api, calls, ...rest }: Contract,
  renames: readonly PossibleRename[],
): Contract {
  const byPlace = new Map(
    renames.map(({ place }) => [
      toPlaceKey(place),
      renames.filter((one) => toPlaceKey(one.place) === toPlaceKey(place)),
    ]),
  )
  return {
    ...rest,
    api: addRenames(api, byPlace),
    ...(calls && { calls: addRenames(calls, byPlace) }),
  }
}

type ByPlace = ReadonlyMap<string, readonly PossibleRename[]>
type Fields = { readonly [name: string]: unknown }

/** A copy of a part of the model. Functions stay as they are. */
function addRenames<T>(part: T, byPlace: ByPlace): T {
  if (Array.isArray(part)) return part.map((one: unknown) => addRenames(one, byPlace)) as T
  if (!isObject(part)) return part
  const copy: Fields = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, addRenames(value, byPlace)]),
  )
  const { notes, origin, extensions, in: group } = part
  const here = (at: unknown) => (isPlace(at) ? (byPlace.get(toPlaceKey(at)) ?? []) : [])
  if (isObject(extensions))
    return { ...copy, extensions: { ...extensions, ...toFormerId(here(origin)) } } as T
  if (!isObject(notes)) return copy as T
  const kinds: readonly PossibleRename['kind'][] =
    group === undefined ? ['schema', 'property', 'value'] : ['parameter']
  const renames = here(notes['origin']).filter(({ kind }) => kinds.includes(kind))
  return renames.length === 0
    ? (copy as T)
    : ({ ...copy, notes: { ...notes, ...toFormerNames(notes, renames) } } as T)
}

function toFormerId(renames: readonly PossibleRename[]): Fields {
  return Object.fromEntries(
    renames.flatMap(({ kind, from }) => (kind === 'operation' ? [['x-renamed-from', from]] : [])),
  )
}

function toFormerNames(notes: Fields, renames: readonly PossibleRename[]): Fields {
  const name = renames.find(({ kind }) => kind !== 'value')
  const values = renames
    .filter(({ kind }) => kind === 'value')
    .map(({ from, to }) => [String(to), from] as const)
  const known = isObject(notes['renamedValues']) ? notes['renamedValues'] : {}
  return {
    ...(name !== undefined && { renamedFrom: name.from }),
    ...(values.length > 0 && { renamedValues: { ...known, ...Object.fromEntries(values) } }),
  }
}

function toPlaceKey({
  file,
  pointer,
}: {
  readonly file: string
  readonly pointer: string
}): string {
  return `${file}#${pointer}`
}

function isPlace(value: unknown): value is { readonly file: string; readonly pointer: string } {
  return (
    isObject(value) && typeof value['file'] === 'string' && typeof value['pointer'] === 'string'
  )
}
