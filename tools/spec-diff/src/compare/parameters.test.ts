import { describe, expect, it } from 'vitest'
import { build, withOperation } from '../../../codegen/test/documents.js'
import { compareApi } from './contracts.js'

const query = (more: object = {}) => ({ name: 'line', in: 'query', schema: {}, ...more })

async function compare(before: object, after: object): Promise<readonly string[]> {
  const [base, head] = await Promise.all(
    [before, after].map((parameter) =>
      build(withOperation({ operationId: 'listTrams', parameters: [parameter] })),
    ),
  )
  if (base === undefined || head === undefined) throw new Error('a document is missing')
  return compareApi(base, head).map(
    ({ code, verdicts, sentence }) => `${code} ${verdicts.client}: ${sentence}`,
  )
}

describe('a parameter', () => {
  it('may be without a value, and no longer', async () => {
    const number = { schema: { type: 'integer' } }
    const empty = { ...number, allowEmptyValue: true }
    expect(await compare(query(number), query(empty))).toEqual([
      'request-parameter-empty-allowed minor: listTrams: the query parameter line may be without a value',
    ])
    expect(await compare(query(empty), query(number))).toEqual([
      'request-parameter-empty-rejected major: listTrams: the query parameter line may no longer be without a value',
    ])
    const text = { schema: { type: 'string' } }
    expect(await compare(query({ ...text, allowEmptyValue: true }), query(text))).toEqual([])
    expect(await compare(query({ allowEmptyValue: true }), query())).toEqual([])
  })

  it('is deprecated, and no longer', async () => {
    expect(await compare(query(), query({ deprecated: true }))).toEqual([
      'field-deprecated patch: listTrams: the query parameter line is deprecated',
    ])
    expect(await compare(query({ deprecated: true }), query({ deprecated: false }))).toEqual([
      'field-undeprecated patch: listTrams: the query parameter line is no longer deprecated',
    ])
  })
})
