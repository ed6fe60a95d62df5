import { fileURLToPath } from 'node:url'
import { loadDocument } from '@farebox/codegen'
import { operations } from '@farebox/types/operations'
import { describe, expect, it } from 'vitest'
import { createInitial, findShape, type Schema } from './schema.js'
import { findProblems } from '../form/problems.js'
import { operationData, type OperationData } from './operation-data.js'

const { document } = await loadDocument('spec/openapi.yaml', {
  cwd: fileURLToPath(new URL('../../../../..', import.meta.url)),
})
const contract = document?.root as Readonly<Record<string, unknown>>
const all = Object.values(operations).map((operation) => operationData(contract, operation))
const readOperation = (id: keyof typeof operations) => operationData(contract, operations[id])

/** The schemas of a form, with those within them. */
function flattenSchema(schema: Schema): readonly Schema[] {
  const shape = findShape(schema)
  if (shape.kind === 'object')
    return [schema, ...Object.values(shape.properties).flatMap(flattenSchema)]
  if (shape.kind === 'list') return [schema, ...flattenSchema(shape.items)]
  return shape.kind === 'union' ? [schema, ...shape.options.flatMap(flattenSchema)] : [schema]
}
const listSchemas = ({ body, parameters }: OperationData) =>
  [...parameters.map(({ schema }) => schema), ...(body === undefined ? [] : [body.schema])].flatMap(
    flattenSchema,
  )

/** A file to upload, or the name of a thing that another call made. */
function isGivenByCaller({ body }: OperationData, place: string): boolean {
  const [part = '', name = ''] = place.split('.')
  const shape = findShape(body?.schema ?? {})
  return (
    part === 'path' ||
    (shape.kind === 'object' && findShape(shape.properties[name] ?? {}).kind === 'file')
  )
}

describe('the forms of the contract', () => {
  it('have an input for each value, and JSON only for a value without a schema', () => {
    const kinds = all.flatMap(listSchemas).map((schema) => findShape(schema).kind)
    expect(new Set(kinds)).toEqual(
      new Set([
        'any',
        'choice',
        'text',
        'number',
        'flag',
        'file',
        'list',
        'object',
        'union',
        'nothing',
      ]),
    )
  })

  it('start with values that the service accepts, except results of other calls', async () => {
    const checked = await Promise.all(
      all.map(async (data) =>
        Object.keys(await findProblems(data, data.example)).map((place) => ({ data, place })),
      ),
    )
    const wrong = checked.flat().filter(({ data, place }) => !isGivenByCaller(data, place))
    expect(wrong.map(({ data, place }) => `${data.id} ${place}`)).toEqual([])
    // a model has a name that the contract knows
    const model = readOperation('getModel')
    expect(await findProblems(model, model.example)).toEqual({})
  })

  it('offer the credentials that an operation takes', () => {
    expect(readOperation('topUp').credentials).toEqual(['wallet'])
    expect(readOperation('queueVideo').credentials).toEqual(['wallet', 'key'])
    expect(readOperation('getModel').credentials).toEqual(['none', 'key'])
  })
})

describe('an invalid value', () => {
  it('is explained next to its field', async () => {
    const queue = readOperation('queueVideo')
    const body = {
      ...(createInitial(queue.body?.schema ?? {}) as object),
      prompt: '',
      duration: '9 days',
      elements: [{ frontal_image_url: 'x' }],
    }
    const problems = await findProblems(queue, { ...queue.example, body })
    expect(Object.keys(problems).toSorted()).toEqual([
      'body.duration',
      'body.elements.0.frontal_image_url',
      'body.prompt',
    ])
    expect(problems['body.prompt']).toMatch(/at least 1 /)
  })

  it('is reported for a query parameter out of range', async () => {
    const list = readOperation('listTransactions')
    const path = { walletAddress: `0x${'ab'.repeat(20)}` }
    expect(await findProblems(list, { path, query: { limit: 101 } })).toEqual({
      'query.limit': expect.stringMatching(/100/) as string,
    })
    expect(await findProblems(list, { path, query: { limit: 100, offset: null } })).toEqual({})
  })
})
