import type { Api } from '@farebox/codegen/model'
import type { Code } from '../change/catalogue.js'
import type { ChangeFacts } from '../change/change.js'
import type { ChangeList } from '../change/change-list.js'
import type { Pair } from '../change/note.js'
import { findPossibleRenames, type LoneName } from '../change/possible-renames.js'
import { listRefs } from '../values/sameness.js'
import { signature } from '../values/signature.js'

/** Names are exported even if no operation uses them. */
export function compareNames(
  base: Api,
  head: Api,
  calls: readonly Api[],
  { changes, ...sides }: Pair,
): void {
  const [before, after] = [base, head].map(
    ({ schemas }) => new Map(schemas.map((named) => [named.name, named])),
  )
  const gone = new Set(base.schemas.filter(({ name }) => after?.has(name) !== true))
  const added = head.schemas.filter(({ name }) => before?.has(name) !== true)
  const used = new Set([base, head, ...calls].flatMap((api) => [...listReached(api)]))
  const isNeeded = createNeed([base, head], used)
  const unpaired: NamedSchema[] = []
  for (const named of head.schemas) {
    const { name } = named
    const known = before?.get(name)
    if (known) {
      if (!used.has(name)) compareUnused(known, named, isNeeded(named), { changes, ...sides })
      continue
    }
    const twin = findTwin(named, gone, added)
    if (twin) {
      gone.delete(twin)
      note(changes, 'schema-renamed', `the schema ${twin.name} is called ${name} now`, named, {
        from: twin.name,
        to: name,
      })
    } else if (isNeeded(named)) {
      unpaired.push(named)
      note(changes, 'schema-added', `the schema ${name} is new`, named)
    } else note(changes, 'schema-form-changed', `the schema ${name} is new`, named)
  }
  const lost = [...gone].filter(isNeeded)
  const renames = findPossibleRenames(
    { kind: 'schema' },
    unpaired.length === 0 ? [] : lost.map(toLoneName),
    unpaired.map(toLoneName),
  )
  for (const named of gone)
    if (isNeeded(named))
      note(changes, 'schema-removed', `the schema ${named.name} is gone`, named, {
        possibleRenames: renames(named.name),
        side: 'base',
      })
    else
      note(changes, 'schema-form-changed', `the schema ${named.name} is gone`, named, {
        side: 'base',
      })
}

/** Reported once as a whole, since the direction of its values is unknown. */
function compareUnused(
  before: NamedSchema,
  named: NamedSchema,
  isNeeded: boolean,
  { changes, base, head, sameness }: Pair,
): void {
  if (sameness.isSame(before.schema, named.schema)) return
  const [one, other] = [base.normalize(before.schema), head.normalize(named.schema)]
  // what it refers to is reported by its own name
  if (sameness.hasSameValues(one, other)) return
  if (base.within(one, other) && head.within(other, one)) return
  note(
    changes,
    isNeeded ? 'schema-changed' : 'schema-form-changed',
    `${named.name}, which no operation uses, has other values now`,
    named,
    {
      schemas: {
        base: { schema: one, resolve: base.resolve },
        head: { schema: other, resolve: head.resolve },
      },
    },
  )
}

type Values = Pick<ChangeFacts, 'from' | 'to' | 'possibleRenames' | 'schemas'> & {
  readonly side?: 'base' | 'head'
}

function note(
  changes: ChangeList,
  code: Code,
  sentence: string,
  { name, origin }: NamedSchema,
  { side = 'head', ...values }: Values = {},
): void {
  const subject = { kind: 'schema', name } as const
  changes.note(code, sentence, { side, origin }, { direction: 'none', subject, ...values })
}

/**
 * Whether programs may need a schema. Of the forms of a schema for requests and for responses,
 * which have one place in the document, those that an operation uses are enough.
 */
function createNeed(
  apis: readonly Api[],
  used: ReadonlySet<string>,
): (named: NamedSchema) => boolean {
  const place = ({ origin }: NamedSchema) => `${origin.file}#${origin.pointer}`
  const forms = new Map<string, Set<string>>()
  for (const named of apis.flatMap(({ schemas }) => schemas)) {
    const known = forms.get(place(named)) ?? new Set()
    forms.set(place(named), known.add(named.name))
  }
  return (named) => {
    const names = [...(forms.get(place(named)) ?? [])]
    if (used.has(named.name) || names.length < 2) return true
    const isForm = names.some((name) => name !== named.name && named.name.startsWith(name))
    return !isForm && !names.some((name) => used.has(name))
  }
}

function toLoneName({ name, schema }: NamedSchema): LoneName {
  const { origin, renamedFrom } = schema.notes
  return { name, origin, renamedFrom, shape: signature(schema) }
}

type NamedSchema = Api['schemas'][number]

/** The former schema of a new name: the one that it states, else the only one with its values. */
function findTwin(
  named: NamedSchema,
  gone: ReadonlySet<NamedSchema>,
  added: readonly NamedSchema[],
): NamedSchema | undefined {
  const { renamedFrom } = named.schema.notes
  const fits = (one: NamedSchema) => signature(one.schema) === signature(named.schema)
  const fitting = [...gone].filter(fits)
  const stated = fitting.find(({ name }) => name === renamedFrom)
  if (stated !== undefined || renamedFrom !== undefined) return stated
  return fitting.length === 1 && added.filter(fits).length === 1 ? fitting[0] : undefined
}

/** Names of the schemas that operations use, directly or through others. */
function listReached({ schemas, operations }: Api): ReadonlySet<string> {
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]))
  const names = new Set(operations.flatMap((operation) => [...listRefs(operation)]))
  for (const name of names) {
    const schema = byName.get(name)
    for (const inner of schema ? listRefs(schema) : []) names.add(inner)
  }
  return names
}
