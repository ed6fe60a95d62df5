import type { Change, Contract } from '@farebox/spec-diff'
import type { Names } from './contract-places.js'

/**
 * The names that operations and schemas of the newer version have in the older one: by the changes
 * of names, and where the document states them by `x-renamed-from`.
 */
export function formerNames(
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
  const named = (what: 'operations' | 'schemas', code: Change['code']) => {
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
    named('operations', 'operation-id-changed'),
    named('schemas', 'schema-renamed'),
  ]
  return {
    operations,
    schemas,
    operation: (id) => operations.get(id) ?? id,
    schema: (name) => schemas.get(name) ?? name,
  }
}
