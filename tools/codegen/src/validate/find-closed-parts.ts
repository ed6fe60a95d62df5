import { collectDiagnostics, show } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import type { Api } from '../ir/api.js'
import type { Of, Schema } from '../ir/schema.js'
import { createTimedMatcher, SlowPattern } from './admits.js'
import { listSchemas } from './list-schemas.js'

type ObjectSchema = Of<'object'>

/**
 * Warns about each schema with a part that is closed and so rejects properties of another part. JSON
 * Schema judges every part alone: `additionalProperties: false` knows no property of `allOf`.
 */
export function findClosedParts(api: Api): readonly Diagnostic[] {
  const { report, all } = collectDiagnostics()
  const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
  const told = new Set<string>()
  const matches = createTolerantMatcher()
  for (const schema of listSchemas(api)) {
    if (schema.kind !== 'intersection') continue
    const { file, pointer } = schema.notes.origin
    // the forms of a schema for requests and for responses have one place
    if (told.has(`${file}#${pointer}`)) continue
    const parts = listObjects(schema, schemas)
    const names = parts.filter(isClosed).flatMap((closed) => listRejected(closed, parts, matches))
    if (names.length === 0) continue
    told.add(`${file}#${pointer}`)
    report(
      'FB3018',
      api.locate({ file, pointer }),
      show([...new Set(names)].toSorted()),
      'properties that the closed object names too',
    )
  }
  return all()
}

type Matcher = ReturnType<typeof createTimedMatcher>

/** A pattern that takes too long counts as matching. Only examples report it. */
function createTolerantMatcher(): Matcher {
  const matches = createTimedMatcher()
  return (pattern, text) => {
    try {
      return matches(pattern, text)
    } catch (error) {
      if (error instanceof SlowPattern) return true
      throw error
    }
  }
}

function isClosed({ additional }: ObjectSchema): boolean {
  return additional.kind === 'never'
}

/** The names of properties that other objects state and a closed one rejects. */
function listRejected(
  { properties, patterns }: ObjectSchema,
  others: readonly ObjectSchema[],
  matches: Matcher,
): readonly string[] {
  const known = new Set(properties.map(({ name }) => name))
  return others
    .flatMap((other) => other.properties)
    .filter(({ name, schema }) => schema.kind !== 'never' && !known.has(name))
    .map(({ name }) => name)
    .filter((name) => !patterns.some(({ pattern }) => matches(pattern, name)))
}

/** The objects that a value has to be all of. */
function listObjects(
  schema: Schema,
  schemas: ReadonlyMap<string, Schema>,
): readonly ObjectSchema[] {
  const found = new Set<Schema>()
  const stack: (Schema | undefined)[] = [schema]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (found.has(node)) continue
    found.add(node)
    if (node.kind === 'intersection') stack.push(...node.parts)
    else if (node.kind === 'unevaluated') stack.push(node.base)
    else if (node.kind === 'ref') stack.push(schemas.get(node.name) ?? node)
  }
  return [...found].filter((one) => one.kind === 'object')
}
