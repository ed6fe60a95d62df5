import { describe, expect, it } from 'vitest'
import { counted, sizeOf, stepsUpTo } from '../test/counted.js'
import { load } from '../test/documents.js'
import { knots, tangle } from '../test/tangles.js'
import { splitForms } from './document/forms.js'
import type { JsonObject } from './document/json.js'
import { printPaths } from './document/print-paths.js'
import { withTags } from './document/with-tags.js'
import { withValues } from './emit/values/with-values.js'
import type { LoadedDocument } from './emit/emitter.js'
import type { Document } from './document/load.js'
import { outputsHere } from './emitters/index.js'
import type { Api } from './ir/api.js'
import { buildApi } from './ir/build.js'
import { validateExamples } from './validate/validate-examples.js'

const counts = [12, 30, 60]

/**
 * So many looks at each object of the document, whatever refers to it, are enough for everything.
 */
const looks = 60

describe.each(Object.keys(knots))('of schemas that refer to each other in all ways, %s', (knot) => {
  it.each(counts)('%i are read in steps that grow with the document and not with the ways', async (count) => {
    const document = tangle(knot, count)
    splitForms(counted(document, stepsUpTo(looks * sizeOf(document))) as JsonObject)
    withTags(counted(document, stepsUpTo(looks * sizeOf(document))) as JsonObject)
    expect((await made(knot, count)).api.schemas.length).toBeGreaterThan(count)
  })

  it.each(counts)('%i check their examples in such steps', async (count) => {
    const { api } = await made(knot, count)
    const limit = stepsUpTo(looks * sizeOf(api.schemas))
    validateExamples({ ...api, ...counted({ schemas: api.schemas, operations: api.operations }, limit) })
    expect(limit.taken()).toBeGreaterThan(count)
  })

  it.each(counts)('%i have their dates converted in such steps', async (count) => {
    const dated = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } }
    const { api } = await make(tangle(knot, count, (schemas) => (schemas[`S${count - 1}`] = dated)))
    const limit = stepsUpTo(looks * sizeOf(api.schemas))
    withValues({ ...api, ...counted({ schemas: api.schemas, operations: api.operations }, limit) }, { dates: 'date', int64: 'bigint' })
    expect(limit.taken()).toBeGreaterThan(count)
  })

  it.each(counts.flatMap((count) => outputsHere.map(({ name, into }) => [count, name, into] as const)))(
    '%i become the output %s in %s in such steps, and in a text of such a length',
    async (count, name, into) => {
      const emitter = outputsHere.find((one) => one.into === into)
      const { api, loaded } = await made(knot, count)
      const { schemas, operations } = counted({ schemas: api.schemas, operations: api.operations }, stepsUpTo(looks * sizeOf(api.schemas)))
      const files = emitter?.emit({ ...api, schemas, operations }, loaded) ?? []
      const length = files.flatMap(({ body }) => body).reduce((sum, { text }) => sum + text.length, 0)
      expect([name, length < 300 * sizeOf(api.schemas)]).toEqual([name, true])
    },
  )
})

type Made = { readonly api: Api; readonly loaded: LoadedDocument }

const known = new Map<string, Promise<Made>>()

/** The same for all tests. Reading it takes such steps as well, or fails. */
function made(knot: string, count: number): Promise<Made> {
  const key = `${knot} ${count}`
  const found = known.get(key) ?? make(tangle(knot, count))
  known.set(key, found)
  return found
}

async function make(document: unknown): Promise<Made> {
  const whole = await read(document)
  const { api, diagnostics } = buildApi({ ...whole, root: counted(whole.root, stepsUpTo(looks * sizeOf(document))) })
  const faults = diagnostics.filter(({ severity }) => severity === 'error')
  if (api === undefined || faults.length > 0) throw new Error(JSON.stringify(faults))
  return { api, loaded: { root: whole.root, printPaths: (schemas) => printPaths(whole, schemas) } }
}

/** The document as it is loaded. */
async function read(document: unknown): Promise<Document> {
  const { document: found, diagnostics } = await load({ 'openapi.json': JSON.stringify(document) }, {}, 'openapi.json')
  if (found === undefined) throw new Error(JSON.stringify(diagnostics))
  return found
}
