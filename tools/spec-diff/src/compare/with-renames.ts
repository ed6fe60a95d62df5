import { isObject } from '@farebox/codegen'
import type { Contract } from './contracts.js'
import type { PossibleRename } from '../change/change.js'

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
    api: stateRenames(api, byPlace),
    ...(calls && { calls: stateRenames(calls, byPlace) }),
  }
}

type ByPlace = ReadonlyMap<string, readonly PossibleRename[]>
type Fields = { readonly [name: string]: unknown }

/** A copy of a part of the model. Functions stay as they are. */
function stateRenames<T>(part: T, byPlace: ByPlace): T {
  if (Array.isArray(part)) return part.map((one: unknown) => stateRenames(one, byPlace)) as T
  if (!isObject(part)) return part
  const copy: Fields = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, stateRenames(value, byPlace)]),
  )
  const { notes, origin, extensions, in: group } = part
  const here = (at: unknown) => (isPlace(at) ? (byPlace.get(toPlaceKey(at)) ?? []) : [])
  if (isObject(extensions))
    return { ...copy, extensions: { ...extensions, ...formerId(here(origin)) } } as T
  if (!isObject(notes)) return copy as T
  const kinds: readonly PossibleRename['kind'][] =
    group === undefined ? ['schema', 'property', 'value'] : ['parameter']
  const renames = here(notes['origin']).filter(({ kind }) => kinds.includes(kind))
  return renames.length === 0
    ? (copy as T)
    : ({ ...copy, notes: { ...notes, ...formerNames(notes, renames) } } as T)
}

function formerId(renames: readonly PossibleRename[]): Fields {
  return Object.fromEntries(
    renames.flatMap(({ kind, from }) => (kind === 'operation' ? [['x-renamed-from', from]] : [])),
  )
}

function formerNames(notes: Fields, renames: readonly PossibleRename[]): Fields {
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
