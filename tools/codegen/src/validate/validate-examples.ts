import { collectDiagnostics, show } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import { mediaKind } from '../document/media.js'
import type { Api, Content } from '../ir/api.js'
import type { Json, Origin, Schema } from '../ir/schema.js'
import { accepts, type ValidationContext } from './accepts.js'
import { findFault } from './fault.js'
import type { Fault } from './fault.js'
import { listSchemas } from './list-schemas.js'
import { isFormat, createTimedMatcher, patternTime, SlowPattern } from './admits.js'

type Example = {
  readonly value: Json
  readonly schema: Schema
  readonly origin: Origin
  readonly code: 'FB3010' | 'FB3011'
}
type Violation = { readonly example: Example; readonly fault: Fault | SlowPattern }

/**
 * Warns about each example and default that its own schema rejects. A schema with readOnly or
 * writeOnly fields has two forms, and an example may fit either. Examples of media types other than
 * JSON are not validated. A pattern that exceeds its time limit on an example gets its own warning.
 */
export function validateExamples(api: Api): readonly Diagnostic[] {
  const { report, all } = collectDiagnostics()
  const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
  const context: ValidationContext = {
    lookup: (name) =>
      schemas.get(name) ?? { kind: 'never', notes: { origin: { file: '', pointer: '' } } },
    isFormat,
    matches: createTimedMatcher(),
  }
  const wrong = new Map<string, Violation | undefined>()
  for (const example of listExamples(api)) {
    const key = `${example.origin.file}#${example.origin.pointer}`
    if (wrong.has(key) && wrong.get(key) === undefined) continue
    const fault = findProblem(example, context)
    wrong.set(key, fault && (wrong.get(key) ?? { example, fault }))
  }
  for (const { example, fault } of [...wrong.values()].filter(
    (violation) => violation !== undefined,
  )) {
    const place = api.locate(example.origin)
    if (fault instanceof SlowPattern)
      report(
        'FB3012',
        place,
        show(fault.pattern),
        `a pattern that is done with this text in ${patternTime} ms`,
      )
    else
      report(
        example.code,
        place,
        `${show(fault.found)}${fault.pointer === '' ? '' : ` at ${fault.pointer}`}`,
        fault.expected,
      )
  }
  return all()
}

function findProblem(
  { schema, value }: Example,
  { ...context }: ValidationContext,
): Fault | SlowPattern | undefined {
  // caches belong to a context: the copy releases them after each example
  try {
    return accepts(schema, value, context) ? undefined : findFault(schema, value, context)
  } catch (error) {
    if (error instanceof SlowPattern) return error
    throw error
  }
}

function* listExamples(api: Api): Iterable<Example> {
  for (const schema of listSchemas(api))
    if (schema.notes.examples !== undefined || schema.notes.default !== undefined)
      yield* listNoteExamples(schema)
  for (const { body, responses } of api.operations)
    for (const content of [
      ...(body?.contents ?? []),
      ...responses.flatMap(({ contents }) => contents),
    ])
      yield* listContentExamples(content)
}

function* listContentExamples({ mediaType, schema, examples }: Content): Iterable<Example> {
  if (mediaKind(mediaType) !== 'json') return
  for (const { value, origin } of examples) yield { value, schema, origin, code: 'FB3010' }
}

function* listNoteExamples(schema: Schema): Iterable<Example> {
  const { examples = [], default: fallback, origin } = schema.notes
  const example = (value: Json, key: string, code: Example['code']): Example => {
    return {
      value,
      schema,
      origin: { file: origin.file, pointer: `${origin.pointer}/${key}` },
      code,
    }
  }
  for (const [index, value] of examples.entries())
    yield example(value, examples.length === 1 ? 'example' : `examples/${index}`, 'FB3010')
  if (fallback !== undefined) yield example(fallback, 'default', 'FB3011')
}
