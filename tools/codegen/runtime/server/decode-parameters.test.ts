import { expect, it } from 'vitest'
import { decodeParameters } from './decode-parameters.js'
import type { OperationFacts } from './operation-facts.js'
import type { Shape } from './shape.js'

const text: Shape = { kind: 'text' }
const record = (...names: readonly string[]): Shape => ({
  kind: 'record',
  fields: Object.fromEntries(names.map((name) => [name, text])),
  rest: text,
})
const createParameter = (name: string, shape: Shape) =>
  ({ name, in: 'query', style: 'form', explode: true, shape }) as const

it('assigns a property of an exploded object to the object that declares it', () => {
  const parameters = [
    createParameter('page', text),
    createParameter('target', record('account', 'region')),
    createParameter('preference', record('count', 'region')),
    createParameter('absent', record('image')),
  ]
  const operation = { parameters } as unknown as OperationFacts
  const query = 'page=2&account=a&count=3&region=r&other=o'
  const { values } = decodeParameters(operation, { path: {}, query, headers: new Headers() }, {})
  expect(values.query).toEqual({
    page: '2',
    target: { account: 'a', region: 'r', other: 'o' },
    preference: { count: '3', region: 'r', other: 'o' },
  })
})

it('does not assign a deep object to an exploded object', () => {
  const deep = { ...createParameter('deep', record('a')), style: 'deepObject' }
  const operation = {
    parameters: [createParameter('other', record()), deep],
  } as unknown as OperationFacts
  const query = 'deep%5Ba%5D=1&b=2'
  const { values } = decodeParameters(operation, { path: {}, query, headers: new Headers() }, {})
  expect(values.query).toEqual({ other: { b: '2' }, deep: { a: '1' } })
})

it('reads a parameter of a media type other than JSON as text', () => {
  const note = { ...createParameter('note', text), mediaType: 'text/plain' }
  const operation = { parameters: [note] } as unknown as OperationFacts
  const { values } = decodeParameters(
    operation,
    { path: {}, query: 'note=5', headers: new Headers() },
    {},
  )
  expect(values.query).toEqual({ note: '5' })
})

it.each([
  ['filter%5Ba%5D=1&filter%5Ba%5D=2', { a: [1, 2] }],
  ['filter[a][]=1&filter[a][]=2', { a: [1, 2] }],
  ['filter[a][]=1', { a: [1] }],
  ['filter[a]=1', { a: [1] }],
  ['filter[b][c][]=x&filter[b][c][]=y', { b: { c: ['x', 'y'] } }],
  ['filter[b][]=x', { b: { '': 'x' } }],
])('reads an array within a deep object: %s', (query, expected) => {
  const shape: Shape = {
    kind: 'record',
    fields: {
      a: { kind: 'list', items: { kind: 'number' } },
      b: { kind: 'record', fields: { c: { kind: 'list', items: text } } },
    },
  }
  const filter = { ...createParameter('filter', shape), style: 'deepObject' }
  const operation = { parameters: [filter] } as unknown as OperationFacts
  const { values } = decodeParameters(operation, { path: {}, query, headers: new Headers() }, {})
  expect(values.query).toEqual({ filter: expected })
})

it('reads an empty header as an empty array or object', () => {
  const header = (name: string, shape: Shape, explode = false) =>
    ({ name, in: 'headers', style: 'simple', explode, shape }) as const
  const parameters = [
    header('x-numbers', { kind: 'list', items: { kind: 'number' } }),
    header('x-texts', { kind: 'list', items: text }),
    header('x-record', record('a')),
    header('x-pairs', record('a'), true),
    header('x-either', { kind: 'choice', of: [text, { kind: 'list', items: text }] }),
  ]
  const headers = new Headers(parameters.map(({ name }) => [name, '']))
  const operation = { parameters } as unknown as OperationFacts
  expect(decodeParameters(operation, { path: {}, query: '', headers }, {})).toEqual({
    problems: [],
    values: {
      headers: {
        'x-numbers': [],
        'x-texts': [],
        'x-record': {},
        'x-pairs': {},
        'x-either': '',
      },
    },
  })
})

it('does not assign a pair to a deep object if another parameter has its name', () => {
  const operation = {
    parameters: [
      { ...createParameter('filter', record('a', 'id')), style: 'deepObject' },
      createParameter('filter[id]', text),
      createParameter('filter[]', { kind: 'list', items: text }),
    ],
  } as unknown as OperationFacts
  const query = 'filter[a]=1&filter[id]=2&filter[]=3'
  const { values } = decodeParameters(operation, { path: {}, query, headers: new Headers() }, {})
  expect(values.query).toEqual({ filter: { a: '1' }, 'filter[id]': '2', 'filter[]': ['3'] })
})

it('reads a query parameter without a value as none if the document allows it', () => {
  const values: Shape = { kind: 'values', values: ['a', 'b'] }
  const shapes: Readonly<Record<string, Shape>> = {
    flag: { kind: 'boolean' },
    size: { kind: 'choice', of: [{ kind: 'any' }, { kind: 'number' }] },
    letter: values,
    sizes: { kind: 'list', items: { kind: 'number' } },
    word: text,
    words: { kind: 'list', items: text },
    open: { kind: 'any' },
  }
  const names = Object.keys(shapes)
  const read = (query: string, allowed: object) => {
    const parameters = names.map((name) => ({
      ...createParameter(name, { kind: 'ref', name }),
      ...allowed,
    }))
    const operation = { parameters } as unknown as OperationFacts
    return decodeParameters(operation, { path: {}, query, headers: new Headers() }, shapes).values
      .query
  }
  const query = names.join('&')
  const kept = { word: '', words: [''], open: '' }
  expect(read(query, { allowEmptyValue: true })).toEqual(kept)
  expect(read(query, {})).toEqual({ ...kept, flag: '', size: '', letter: '', sizes: [''] })
  expect(read('flag=true&sizes=1&sizes=', { allowEmptyValue: true })).toEqual({
    flag: true,
    sizes: [1, ''],
  })
})
