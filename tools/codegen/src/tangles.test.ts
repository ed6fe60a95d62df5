import { describe, expect, it } from 'vitest'
import { sampleCases } from '../../internal/testing/src/rounds.js'
import { instrumentReads, measureSize, createStepCounter, type Steps } from '../test/counted.js'
import { load, withSchemas } from '../test/documents.js'
import { knots, createTangledDocument } from '../test/tangles.js'
import { bundle } from './document/bundle/bundle.js'
import type { Files } from './document/files.js'
import { splitForms } from './document/forms/forms.js'
import type { Json, JsonObject } from './document/json.js'
import { printPaths } from './document/print-paths.js'
import { tagSchemas } from './document/discriminators/tag-schemas.js'
import { applyModes } from './emit/values/apply-modes.js'
import type { LoadedDocument } from './emit/emitter.js'
import type { Document } from './document/load.js'
import { outputsHere } from './emitters/index.js'
import type { Api } from './ir/api.js'
import { buildApi } from './ir/build.js'
import { isolate } from './isolate/isolate.js'
import { select } from './select/select.js'
import { findUnknownFields } from './validate/unknown-fields.js'
import { validateExamples } from './validate/validate-examples.js'

const counts = sampleCases([12, 30, 60])

/**
 * So many looks at each object of the document, whatever refers to it, are enough for everything.
 */
const looks = 60

describe.each(Object.keys(knots))('densely recursive schemas, %s', (knot) => {
  it.each(counts)(
    '%i are read in steps linear in the document, not in the paths',
    async (count) => {
      const document = createTangledDocument(knot, count)
      splitForms(
        instrumentReads(document, createStepCounter(looks * measureSize(document))) as JsonObject,
      )
      tagSchemas(
        instrumentReads(document, createStepCounter(looks * measureSize(document))) as JsonObject,
      )
      expect((await createTangle(knot, count)).api.schemas.length).toBeGreaterThan(count)
    },
  )

  it.each(counts)(
    '%i are merged, selected, isolated and searched for unknown fields in linear steps',
    async (count) => {
      const document = createTangledDocument(knot, count)
      const limit = (): Steps => createStepCounter(looks * measureSize(document))
      const joining = limit()
      bundle(createFiles(instrumentReads(document, joining) as Json), () => undefined)
      expect(joining.taken()).toBeGreaterThan(count)
      const { whole } = await createTangle(knot, count)
      const root = (steps: Steps): Document => ({
        ...whole,
        root: instrumentReads(whole.root, steps),
      })
      select(root(limit()), { include: [], exclude: [], prune: true })
      isolate(root(limit()))
      findUnknownFields(root(limit()))
    },
  )

  it.each(counts)('%i have their examples validated in linear steps', async (count) => {
    const { api } = await createTangle(knot, count)
    const limit = createStepCounter(looks * measureSize(api.schemas))
    validateExamples({
      ...api,
      ...instrumentReads({ schemas: api.schemas, operations: api.operations }, limit),
    })
    expect(limit.taken()).toBeGreaterThan(count)
  })

  it.each(counts)('%i have their dates converted in linear steps', async (count) => {
    const dated = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } }
    const { api } = await make(
      createTangledDocument(knot, count, (schemas) => (schemas[`S${count - 1}`] = dated)),
    )
    const limit = createStepCounter(looks * measureSize(api.schemas))
    applyModes(
      { ...api, ...instrumentReads({ schemas: api.schemas, operations: api.operations }, limit) },
      { dates: 'date', int64: 'bigint' },
    )
    expect(limit.taken()).toBeGreaterThan(count)
  })

  it.each(
    counts.flatMap((count) => outputsHere.map(({ name, into }) => [count, name, into] as const)),
  )('%i become the output %s in %s with linear steps and size', async (count, name, into) => {
    const emitter = outputsHere.find((one) => one.into === into)
    const { api, loaded, model } = await createTangle(knot, count)
    const { counting, steps } = model()
    steps.restart()
    // another object, so that nothing is known of it from the output before
    const files = emitter?.emit({ ...counting }, loaded) ?? []
    const length = files
      .flatMap(({ body }) => [...body])
      .reduce((sum, { text }) => sum + text.length, 0)
    expect([name, length < 300 * measureSize(api.schemas)]).toEqual([name, true])
  })
})

it.each([100, 200, 400])(
  '%i paths to a generic schema are resolved in steps linear in the paths',
  (count) => {
    const pages = Array.from({ length: count }, (_, index): [string, object] => [
      `Page${index}`,
      {
        $ref: '#/components/schemas/Page',
        $defs: { item: { $dynamicAnchor: 'item', const: index } },
      },
    ])
    const page = {
      properties: { items: { items: { $dynamicRef: '#item' } } },
      $defs: { item: { $dynamicAnchor: 'item' } },
    }
    const document = withSchemas({ Page: page, ...Object.fromEntries(pages) })
    const { root } = bundle(
      createFiles(
        instrumentReads(document, createStepCounter(looks * measureSize(document))) as Json,
      ),
      () => undefined,
    )
    const { schemas } = root['components'] as { readonly schemas: object }
    expect(Object.keys(schemas).filter((name) => name.startsWith('PageOf'))).toHaveLength(count)
  },
)

/** A document of one file, which no text of its own stands behind. */
function createFiles(data: Json): Files {
  const place = (pointer: string) => ({ file: 'api.json', pointer, line: 1, column: 1 })
  const references = new Set<string>()
  const entry = { location: '/api.json', name: 'api.json', data, references, place }
  return { entry, sources: [entry], follow: () => ({ source: entry }), read: [], inputs: [] }
}

type Tangle = {
  readonly whole: Document
  readonly api: Api
  readonly loaded: LoadedDocument
  /** The model that all outputs are made of, as in a run. */
  readonly model: () => { readonly counting: Api; readonly steps: Steps }
}

const known = new Map<string, Promise<Tangle>>()

/** The same for all tests. Reading it takes such steps as well, or fails. */
function createTangle(knot: string, count: number): Promise<Tangle> {
  const key = `${knot} ${count}`
  const found = known.get(key) ?? make(createTangledDocument(knot, count))
  known.set(key, found)
  return found
}

async function make(document: unknown): Promise<Tangle> {
  const whole = await read(document)
  const { api, diagnostics } = buildApi({
    ...whole,
    root: instrumentReads(whole.root, createStepCounter(looks * measureSize(document))),
  })
  const faults = diagnostics.filter(({ severity }) => severity === 'error')
  if (api === undefined || faults.length > 0) throw new Error(JSON.stringify(faults))
  let model: ReturnType<Tangle['model']> | undefined
  return {
    whole,
    api,
    loaded: { root: whole.root, printPaths: (schemas) => printPaths(whole, schemas) },
    model: () => (model ??= countModelSteps(api)),
  }
}

function countModelSteps(api: Api): ReturnType<Tangle['model']> {
  const steps = createStepCounter(looks * measureSize(api.schemas))
  return {
    counting: {
      ...api,
      ...instrumentReads({ schemas: api.schemas, operations: api.operations }, steps),
    },
    steps,
  }
}

/** The document as it is loaded. */
async function read(document: unknown): Promise<Document> {
  const { document: found, diagnostics } = await load(
    { 'openapi.json': JSON.stringify(document) },
    {},
    'openapi.json',
  )
  if (found === undefined) throw new Error(JSON.stringify(diagnostics))
  return found
}
