import { describe, expect, it } from 'vitest'
import type { OperationData, ParameterData, SchemeData } from '../contract/operation-data.js'
import { authorize, listSecrets } from './authorize.js'
import { buildRequest } from './request.js'

const blank: OperationData = {
  id: 'a',
  method: 'GET',
  path: '/pets/{id}',
  credentials: [],
  pays: false,
  parameters: [],
  example: { path: {}, query: {} },
}
const query = (name: string, rest: Partial<ParameterData> = {}): ParameterData => ({
  name,
  in: 'query',
  required: false,
  schema: {},
  ...rest,
})

describe('a request', () => {
  it.each<[Partial<ParameterData>, unknown, string]>([
    [{}, 'a b&c', 'q=a+b%26c'],
    [{}, ['a', 'b'], 'q=a&q=b'],
    [{ explode: false }, ['a', 'b'], 'q=a%2Cb'],
    [{ style: 'pipeDelimited' }, ['a', 'b'], 'q=a%7Cb'],
    [{}, { a: 1, b: true }, 'a=1&b=true'],
    [{ explode: false }, { a: 1 }, 'q=a%2C1'],
    [{ style: 'json' }, { a: 1 }, 'q=%7B%22a%22%3A1%7D'],
    [{ style: 'deepObject' }, { a: { b: 1 }, c: ['d'] }, 'q%5Ba%5D%5Bb%5D=1&q%5Bc%5D%5B0%5D=d'],
  ])('has a query parameter with %j and %j as %s', (style, value, expected) => {
    const operation = { ...blank, path: '/', parameters: [query('q', style)] }
    const { url } = buildRequest(operation, { path: {}, query: { q: value } }, 'https://a.example')
    expect(url).toBe(`https://a.example/?${expected}`)
  })

  it('has path and headers, and omits empty fields', () => {
    const values = { path: { id: 'a/b' }, query: {}, header: { 'x-a': [1, 2], 'x-b': undefined } }
    const operation = { ...blank, parameters: [query('q')] }
    expect(buildRequest(operation, values, 'https://a.example/v1')).toEqual({
      url: 'https://a.example/v1/pets/a%2Fb',
      method: 'GET',
      headers: { 'x-a': '1,2' },
    })
  })

  it.each<[string, unknown, unknown]>([
    ['application/vnd.a+json', { a: 1 }, '{"a":1}'],
    ['application/x-www-form-urlencoded', { a: [1, 2], b: { c: 'd' } }, 'a=1&a=2&b%5Bc%5D=d'],
    ['text/plain', 'a', 'a'],
  ])('has a body of %s', (mediaType, body, expected) => {
    const operation = { ...blank, path: '/', body: { mediaType, schema: {} } }
    const request = buildRequest(operation, { path: {}, query: {}, body }, 'https://a.example')
    expect(request).toMatchObject({ headers: { 'content-type': mediaType }, body: expected })
  })
})

describe('credentials', () => {
  const request = { url: 'https://a.example/?a=1', method: 'GET', headers: {} }
  const scheme = (carrier: SchemeData['carrier'], parameter = 'Authorization'): SchemeData => ({
    name: carrier,
    carrier,
    parameter,
  })

  it.each<[SchemeData, string, object]>([
    [scheme('bearer'), 'k', { headers: { Authorization: 'Bearer k' } }],
    [scheme('basic'), 'ü:p', { headers: { Authorization: 'Basic w7w6cA==' } }],
    [scheme('header', 'x-key'), 'k', { headers: { 'x-key': 'k' } }],
    [scheme('query', 'key'), 'a&b', { url: 'https://a.example/?a=1&key=a%26b' }],
    [scheme('cookie', 'key'), '', { credentials: 'include' }],
    [scheme('bearer'), '', request],
  ])('are sent as %j says', (one, secret, expected) => {
    expect(authorize(request, [one], { [one.name]: secret })).toEqual({ ...request, ...expected })
  })

  it('are sent together, and all of them are secrets', () => {
    const schemes = [scheme('header', 'x-key'), scheme('basic')]
    const secrets = { header: 'k 1', basic: 'u:p' }
    expect(authorize(request, schemes, secrets).headers).toEqual({
      'x-key': 'k 1',
      Authorization: 'Basic dTpw',
    })
    expect(listSecrets(schemes, secrets)).toEqual(['k 1', 'k%201', 'u:p', 'u%3Ap', 'dTpw'])
  })
})
