import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadDocument } from '../document/load.js'
import { renderFile } from '../emit/code.js'
import type { Api } from '../ir/api.js'
import { buildApi } from '../ir/build.js'
import type { Json } from '../ir/schema.js'
import { mcp } from './mcp.js'
import { toInputSchema } from './mcp/input-schema.js'
import { toOutputSchema } from './mcp/definitions.js'

async function loadContract(): Promise<Api> {
  const { document } = await loadDocument('spec/openapi.yaml', {
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
  })
  const api = document && buildApi(document).api
  if (api === undefined)
    throw new Error('The contract has faults: run `pnpm generate` to see them.')
  return api
}

const api = await loadContract()
const examples = api.operations.flatMap((operation) =>
  (operation.body?.contents[0]?.examples ?? []).map(({ name, value }) => ({
    id: operation.id,
    name,
    value,
    operation,
  })),
)
const responses = api.operations.flatMap((operation) => {
  const schema = toOutputSchema(api, operation)
  const contents = operation.responses
    .filter(({ status }) => status === 200)
    .flatMap((response) => response.contents)
  const input = contents.flatMap((content) => content.examples)
  return schema === undefined
    ? []
    : input.map(({ name, value }) => ({ id: operation.id, name, value, schema }))
})

describe('the tools of the contract', () => {
  let ajv = new Ajv2020()
  beforeEach(() => {
    ajv = new Ajv2020({ strict: false, allErrors: true })
    formats.default(ajv)
  })

  it.each(api.operations)('$id accepts an object, and its schemas compile', (operation) => {
    const output = toOutputSchema(api, operation)
    expect(toInputSchema(api, operation)).toMatchObject({ type: 'object' })
    expect(ajv.compile(toInputSchema(api, operation))).toBeTypeOf('function')
    if (output !== undefined) expect(ajv.compile(output)).toBeTypeOf('function')
  })

  it.each(api.operations)(
    '$id has no composition at the root of its input, which hosts reject',
    (operation) => {
      const roots = [
        '$schema',
        'description',
        'type',
        'properties',
        'required',
        'additionalProperties',
        '$defs',
      ]
      expect(
        Object.keys(toInputSchema(api, operation)).filter((keyword) => !roots.includes(keyword)),
      ).toEqual([])
    },
  )

  it.each(examples)('the input of $id accepts the example $name', ({ operation, value }) => {
    const parameters = operation.parameters
      .filter(({ required, credential }) => required && !credential)
      .map(({ field, notes }) => [field, notes.examples?.[0] ?? null])
    const file =
      operation.body?.contents[0]?.mediaType.startsWith('multipart') === true
        ? { file: 'AAAA' }
        : {}
    const input = {
      ...Object.fromEntries(parameters),
      ...(value as { readonly [name: string]: Json }),
      ...file,
    }
    const validate = ajv.compile(toInputSchema(api, operation))
    validate(input)
    expect(validate.errors).toBeNull()
  })

  it.each(responses)('the output of $id accepts the response $name', ({ schema, value }) => {
    const validate = ajv.compile(schema)
    validate(
      'result' in ((schema['properties'] as { readonly result?: Json } | undefined) ?? {}) &&
        Array.isArray(value)
        ? { result: value }
        : value,
    )
    expect(validate.errors).toBeNull()
  })

  it('there is a request and a response to validate', () => {
    expect([examples.length > 5, responses.length > 5]).toEqual([true, true])
  })

  it('is the same in each run', () => {
    const text = () =>
      mcp.emit(api).map((file) => renderFile(file, { banner: '', resolve: (module) => module }))
    expect(text()).toEqual(text())
  })
})
