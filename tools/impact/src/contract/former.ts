import type { Change, Contract } from '@farebox/spec-diff'
import type { ContractPlace, ContractPlaces, Names, Owner } from './places.js'

/**
 * The names that operations and schemas of the newer version have in the older one: by the changes
 * of names, and where the document states them by `x-renamed-from`.
 */
export function findFormerNames(
  changes: readonly Change[],
  { base, head }: { readonly base: Contract; readonly head: Contract },
): Names & {
  readonly operations: ReadonlyMap<string, string>
  readonly schemas: ReadonlyMap<string, string>
} {
  const stated = {
    operations: head.api.operations.map(
      ({ id, extensions }) => [id, extensions['x-renamed-from']] as const,
    ),
    schemas: head.api.schemas.map(({ name, schema }) => [name, schema.notes.renamedFrom] as const),
  }
  const known = {
    operations: {
      base: base.api.operations.map(({ id }) => id),
      head: head.api.operations.map(({ id }) => id),
    },
    schemas: {
      base: base.api.schemas.map(({ name }) => name),
      head: head.api.schemas.map(({ name }) => name),
    },
  }
  const collectFormer = (what: 'operations' | 'schemas', code: Change['code']) => {
    const { base: before, head: after } = known[what]
    const isRename = ([to, from]: readonly [string, unknown]) =>
      typeof from === 'string' &&
      before.includes(from) &&
      !after.includes(from) &&
      !before.includes(to)
    const noted = changes.flatMap((change) =>
      change.code === code ? [[String(change.to), change.from] as const] : [],
    )
    // what the document states has precedence
    return new Map(
      [...noted, ...stated[what]].filter(isRename).map(([to, from]) => [to, String(from)]),
    )
  }
  const [operations, schemas] = [
    collectFormer('operations', 'operation-id-changed'),
    collectFormer('schemas', 'schema-renamed'),
  ]
  return {
    operations,
    schemas,
    operation: (id) => operations.get(id) ?? id,
    schema: (name) => schemas.get(name) ?? name,
  }
}

/**
 * A renamed field of the input has its former name. On the wire the parameter has the same one,
 * unless it is a part of the path. A parameter that moved keeps its field, so that it moves only
 * where its place is named.
 */
export function listPlacesBefore(
  { code, place, from }: Change,
  places: ContractPlaces,
  base: Contract['api'],
): readonly ContractPlace[] {
  const found = places.at(place)
  if (code === 'request-parameter-moved')
    return found.flatMap(({ owner, path }) => findFormerPlaces(owner, path, String(from), base))
  if (code !== 'request-field-renamed') return found
  return found.flatMap(({ owner, path: [name] }) =>
    owner.kind === 'input' ||
    (owner.kind === 'parameters' && !hasParameter(base, owner.operation, name))
      ? [{ owner, path: [String(from)] }]
      : [],
  )
}

function hasParameter(
  { operations }: Contract['api'],
  operation: string,
  name: ContractPlace['path'][number] | undefined,
): boolean {
  const { parameters = [] } = operations.find(({ id }) => id === operation) ?? {}
  return parameters.some((parameter) => parameter.name === name)
}

function findFormerPlaces(
  owner: Owner,
  [name]: ContractPlace['path'],
  from: string,
  { operations }: Contract['api'],
): readonly ContractPlace[] {
  if (owner.kind !== 'parameters' || typeof name !== 'string') return []
  const before = operations.find(({ id }) => id === owner.operation)?.parameters ?? []
  const known = before.find(
    (one) => one.in === from && one.name.toLowerCase() === name.toLowerCase(),
  )
  return known === undefined ? [] : [{ owner: { ...owner, in: from }, path: [known.name] }]
}
