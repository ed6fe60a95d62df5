import type { Api } from '@farebox/codegen'
import { compareSchema } from './compare-schema.js'
import { createChangeList, type ChangeList } from './change-list.js'
import { possibleRenames, type LoneName } from './renames/possible-renames.js'
import { collectRefs } from './collect-refs.js'
import { createSides } from './side.js'
import { signature } from './signature.js'

/** Names are exported even if no operation uses them. */
export function compareNames(
  base: Api,
  head: Api,
  calls: readonly Api[],
  changes: ChangeList,
): void {
  const gone = new Set(
    base.schemas.filter(({ name }) => !head.schemas.some((one) => one.name === name)),
  )
  const added = head.schemas.filter(({ name }) => !base.schemas.some((one) => one.name === name))
  const used = new Set([base, head, ...calls].flatMap((api) => [...reached(api)]))
  const sides = createSides(base, head)
  const unpaired: Named[] = []
  for (const named of head.schemas) {
    const { name, schema, origin } = named
    const spot = { side: 'head', origin } as const
    const about = { direction: 'none', subject: { kind: 'schema', name } } as const
    const before = base.schemas.find((one) => one.name === name)
    if (before) {
      if (used.has(name) || signature(before.schema) === signature(schema)) continue
      // reported once as a whole, since the direction of its values is unknown
      const aside = createChangeList({ base, head }, 0)
      if (
        compareSchema(before.schema, schema, name, {
          ...sides,
          direction: 'response',
          changes: aside,
        })
      )
        changes.note(
          'schema-changed',
          `${name}, which no operation uses, has other values now`,
          spot,
          about,
        )
      continue
    }
    const twin = findTwin(named, gone, added)
    if (twin) {
      gone.delete(twin)
      changes.note('schema-renamed', `the schema ${twin.name} is called ${name} now`, spot, {
        ...about,
        from: twin.name,
        to: name,
      })
    } else {
      unpaired.push(named)
      changes.note('schema-added', `the schema ${name} is new`, spot, about)
    }
  }
  const renames = possibleRenames(
    { kind: 'schema' },
    unpaired.length === 0 ? [] : [...gone].map(loneName),
    unpaired.map(loneName),
  )
  for (const { name, origin } of gone)
    changes.note(
      'schema-removed',
      `the schema ${name} is gone`,
      { side: 'base', origin },
      {
        direction: 'none',
        subject: { kind: 'schema', name },
        possibleRenames: renames(name),
      },
    )
}

function loneName({ name, schema }: Named): LoneName {
  const { origin, renamedFrom } = schema.notes
  return { name, origin, renamedFrom, shape: signature(schema) }
}

type Named = Api['schemas'][number]

/** The former schema of a new name: the one that it states, else the only one with its values. */
function findTwin(
  named: Named,
  gone: ReadonlySet<Named>,
  added: readonly Named[],
): Named | undefined {
  const { renamedFrom } = named.schema.notes
  const fits = (one: Named) => signature(one.schema) === signature(named.schema)
  const fitting = [...gone].filter(fits)
  const stated = fitting.find(({ name }) => name === renamedFrom)
  if (stated !== undefined || renamedFrom !== undefined) return stated
  return fitting.length === 1 && added.filter(fits).length === 1 ? fitting[0] : undefined
}

/** Names of the schemas that operations use, directly or through others. */
function reached({ schemas, operations }: Api): ReadonlySet<string> {
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]))
  const found = new Set(
    collectRefs(operations.map(({ parameters, body, responses }) => [parameters, body, responses])),
  )
  for (const name of found) for (const inner of collectRefs(byName.get(name))) found.add(inner)
  return found
}
