import { collectDiagnostics, show } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import { mediaKind } from '../document/media.js'
import type { Api, Content } from '../ir/api.js'
import { match } from '../ir/schema.js'
import type { Cases, Json, Origin, Schema } from '../ir/schema.js'
import { accepts } from './accepts.js'
import type { Court } from './accepts.js'
import { faultOf } from './fault.js'
import type { Fault } from './fault.js'
import { isFormat } from './is-format.js'
import { matchesInTime, patternTime, SlowPattern } from './matches-in-time.js'

type Claim = { readonly value: Json; readonly schema: Schema; readonly origin: Origin; readonly code: 'FB3010' | 'FB3011' }
type Ruling = { readonly claim: Claim; readonly fault: Fault | SlowPattern }

/**
 * Warns of each example and default that its own schema refuses. A schema that goes two ways has two forms: what fits either is
 * right. Examples of other media than JSON are texts in a form of their own, and pass. A pattern that is not done with an example in
 * time is told instead.
 */
export function judgeExamples(api: Api): readonly Diagnostic[] {
  const { report, all } = collectDiagnostics()
  const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
  const court: Court = {
    lookup: (name) => schemas.get(name) ?? { kind: 'never', notes: { origin: { file: '', pointer: '' } } },
    isFormat,
    matches: matchesInTime(),
  }
  const wrong = new Map<string, Ruling | undefined>()
  for (const claim of claimsOf(api)) {
    const key = `${claim.origin.file}#${claim.origin.pointer}`
    if (wrong.has(key) && wrong.get(key) === undefined) continue
    const fault = faultIn(claim, court)
    wrong.set(key, fault && (wrong.get(key) ?? { claim, fault }))
  }
  for (const { claim, fault } of [...wrong.values()].filter((ruling) => ruling !== undefined)) {
    const place = api.locate(claim.origin)
    if (fault instanceof SlowPattern)
      report('FB3012', place, show(fault.pattern), `a pattern that is done with this text in ${patternTime} ms`)
    else report(claim.code, place, `${show(fault.found)}${fault.pointer === '' ? '' : ` at ${fault.pointer}`}`, fault.expected)
  }
  return all()
}

function faultIn({ schema, value }: Claim, { ...court }: Court): Fault | SlowPattern | undefined {
  // a copy, so that what is known of the parts of one example is forgotten after it
  try {
    return accepts(schema, value, court) ? undefined : faultOf(schema, value, court)
  } catch (error) {
    if (error instanceof SlowPattern) return error
    throw error
  }
}

function* claimsOf({ schemas, operations }: Api): Iterable<Claim> {
  const seen = new Set<Schema>()
  for (const { schema } of schemas) yield* within(schema, seen)
  for (const { parameters, body, responses } of operations) {
    for (const { schema } of parameters) yield* within(schema, seen)
    for (const content of [...(body?.contents ?? []), ...responses.flatMap(({ contents }) => contents)]) {
      yield* within(content.schema, seen)
      yield* ofContent(content)
    }
    for (const { schema } of responses.flatMap(({ headers }) => headers)) yield* within(schema, seen)
  }
}

function* ofContent({ mediaType, schema, examples }: Content): Iterable<Claim> {
  if (mediaKind(mediaType) !== 'json') return
  for (const { value, origin } of examples) yield { value, schema, origin, code: 'FB3010' }
}

/** The notes of a node and of all below it. */
function* within(schema: Schema, seen: Set<Schema>): Iterable<Claim> {
  const stack = [schema]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    stack.push(...childrenOf(node))
    if (node.notes.examples !== undefined || node.notes.default !== undefined) yield* ofNotes(node)
  }
}

function* ofNotes(schema: Schema): Iterable<Claim> {
  const { examples = [], default: fallback, origin } = schema.notes
  const claim = (value: Json, key: string, code: Claim['code']): Claim => {
    return { value, schema, origin: { file: origin.file, pointer: `${origin.pointer}/${key}` }, code }
  }
  for (const [index, value] of examples.entries()) yield claim(value, examples.length === 1 ? 'example' : `examples/${index}`, 'FB3010')
  if (fallback !== undefined) yield claim(fallback, 'default', 'FB3011')
}

function childrenOf(schema: Schema): readonly Schema[] {
  return match(schema, children)
}

const childless = (): readonly Schema[] => []

/** What a reference leads to is looked at by itself. */
const children: Cases<readonly Schema[]> = {
  any: childless,
  never: childless,
  null: childless,
  boolean: childless,
  number: childless,
  string: childless,
  binary: childless,
  enum: childless,
  ref: childless,
  array: ({ prefix, items, contains, unevaluated }) => given([...prefix, items, contains?.schema, unevaluated]),
  object: ({ properties, patterns, dependentSchemas, additional, propertyNames }) =>
    given([...[...properties, ...patterns, ...dependentSchemas].map(({ schema }) => schema), additional, propertyNames]),
  union: ({ options }) => options,
  oneOf: ({ options }) => options,
  intersection: ({ parts }) => parts,
  not: ({ schema }) => [schema],
  conditional: ({ when, then, otherwise }) => [when, then, otherwise],
  unevaluated: ({ base, properties, items }) => given([base, properties, items]),
}

function given(schemas: readonly (Schema | undefined)[]): readonly Schema[] {
  return schemas.filter((schema) => schema !== undefined)
}
