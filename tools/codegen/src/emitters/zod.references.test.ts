import { describe, expect, it } from 'vitest'
import { build, diagnose, withSchemas } from '../../test/documents.js'
import { judgeSchemas } from '../../test/suite.js'
import type { Json } from '../ir/schema.js'
import { typesWith } from './types/enum-constants.js'

type Case = readonly [rule: string, schema: Json, valid: readonly Json[], invalid: readonly Json[]]

const text = { type: 'string' }
const number = { type: 'number' }

/**
 * `$id`, `$anchor`, `$defs` and `$dynamicRef` (JSON Schema 2020-12, section 8.2). Each case is a
 * resource of its own.
 */
const cases: readonly Case[] = [
  [
    '# is the whole schema, however deep',
    { properties: { child: { $ref: '#' } }, additionalProperties: false },
    [{ child: { child: {} } }],
    [{ child: { other: 1 } }],
  ],
  [
    'a pointer into properties',
    { properties: { a: number, b: { $ref: '#/properties/a' } } },
    [{ b: 1 }],
    [{ b: 'x' }],
  ],
  [
    'a pointer into an array',
    { prefixItems: [number, { $ref: '#/prefixItems/0' }] },
    [[1, 2]],
    [[1, 'x']],
  ],
  [
    'names with ~, / and % are escaped',
    { properties: { a: { $ref: '#/$defs/a~0b~1c%25d' } }, $defs: { 'a~b/c%d': number } },
    [{ a: 1 }],
    [{ a: 'x' }],
  ],
  [
    'empty names',
    { allOf: [{ $ref: '#/$defs//$defs/' }], $defs: { '': { $defs: { '': number } } } },
    [1],
    ['x'],
  ],
  [
    'references lead to references',
    { $ref: '#/$defs/c', $defs: { a: number, b: { $ref: '#/$defs/a' }, c: { $ref: '#/$defs/b' } } },
    [1],
    ['x'],
  ],
  [
    'what stands beside a reference counts',
    { $ref: '#/$defs/list', maxItems: 1, $defs: { list: { type: 'array' } } },
    [[1]],
    [[1, 2], 'x'],
  ],
  ['a reference to true', { $ref: '#/$defs/any', $defs: { any: true } }, [1, null], []],
  ['a reference to false', { $ref: '#/$defs/none', $defs: { none: false } }, [], [1, null]],
  [
    'a property called $ref is a property',
    { properties: { $ref: text } },
    [{ $ref: 'a' }],
    [{ $ref: 1 }],
  ],
  [
    'a $ref in a listed value is data',
    { enum: [{ $ref: '#/$defs/a' }], $defs: { a: text } },
    [{ $ref: '#/$defs/a' }],
    ['x'],
  ],
  ['a plain name', { $ref: '#here', $defs: { a: { $anchor: 'here', ...number } } }, [1], ['x']],
  [
    'a plain name of another resource',
    {
      $ref: 'https://names.example/other#here',
      $defs: {
        a: { $id: 'https://names.example/other', $defs: { b: { $anchor: 'here', ...number } } },
      },
    },
    [1],
    ['x'],
  ],
  [
    'the same plain name in two resources',
    {
      $id: 'https://twice.example/root',
      $ref: 'first#here',
      $defs: {
        a: {
          $id: 'first',
          allOf: [
            { $id: 'second', $anchor: 'here', ...number },
            { $anchor: 'here', ...text },
          ],
        },
      },
    },
    ['x'],
    [1],
  ],
  [
    'a relative $id is joined to the nearest one around it',
    {
      $id: 'https://nested.example/a',
      allOf: [{ $ref: 'https://nested.example/b/d' }],
      $defs: {
        x: { $id: 'https://nested.example/b/c', not: { $defs: { y: { $id: 'd', ...number } } } },
      },
    },
    [1],
    ['x'],
  ],
  [
    'the $id beside a $ref comes first',
    {
      $id: 'https://order.example/folder/base',
      $ref: 'small',
      $defs: {
        near: { $id: 'small', maximum: 10 },
        far: { $id: 'https://order.example/small', maximum: 2 },
      },
    },
    [5],
    [50],
  ],
  [
    'a pointer starts from the resource that holds it',
    {
      $id: 'https://inner.example/outer',
      properties: {
        a: { $id: 'inner', $ref: '#/$defs/it', $defs: { it: { properties: { b: text } } } },
      },
      $ref: 'inner',
    },
    [{ a: { b: 'x' }, b: 'x' }],
    [{ a: { b: 1 } }, { b: 1 }],
  ],
  [
    'a path from the root of the host',
    {
      $id: 'https://root.example/folder/a',
      $ref: '/b',
      $defs: {
        b: { $id: 'https://root.example/folder/b', ...number },
        c: { $id: 'https://root.example/b', ...text },
      },
    },
    ['x'],
    [1],
  ],
  [
    'a URN',
    { $id: 'urn:example:tree', minimum: 30, properties: { a: { $ref: 'urn:example:tree' } } },
    [{ a: 31 }],
    [{ a: 1 }],
  ],
  [
    'a URN with a pointer',
    {
      $id: 'urn:example:one',
      properties: { a: { $ref: 'urn:example:one#/$defs/b' } },
      $defs: { b: text },
    },
    [{ a: 'x' }],
    [{ a: 1 }],
  ],
  [
    'a resource below `else` without `if`',
    { $ref: 'https://else.example/it', else: { $id: 'https://else.example/it', type: 'integer' } },
    [1],
    ['x'],
  ],
  [
    'what looks like an $id in an unknown keyword is none',
    {
      anyOf: [{ $ref: 'https://unknown.example/it' }],
      $defs: {
        a: { unknown: [{ $id: 'https://unknown.example/it', type: 'null' }] },
        b: { $id: 'https://unknown.example/it', ...text },
      },
    },
    ['x'],
    [null],
  ],
  [
    'two resources that lead to each other',
    {
      $id: 'https://tree.example/tree',
      type: 'object',
      properties: { nodes: { type: 'array', items: { $ref: 'node' } } },
      required: ['nodes'],
      $defs: {
        node: {
          $id: 'node',
          type: 'object',
          properties: { value: number, subtree: { $ref: 'tree' } },
          required: ['value'],
        },
      },
    },
    [{ nodes: [{ value: 1, subtree: { nodes: [{ value: 2 }] } }] }],
    [{ nodes: [{ value: 1, subtree: { nodes: [{ value: 'x' }] } }] }],
  ],
  [
    'what a reference evaluated does not see what stands beside it',
    {
      properties: { a: text },
      $ref: '#/$defs/closed',
      $defs: { closed: { unevaluatedProperties: false } },
    },
    [{}],
    [{ a: 'x' }],
  ],
  [
    'the same schema twice is no circle',
    {
      properties: {
        a: { allOf: [{ $ref: '#/$defs/n' }], additionalProperties: { $ref: '#/$defs/n' } },
      },
      $defs: { n: { type: ['number', 'object'] } },
    },
    [{ a: { b: 1 } }],
    [{ a: { b: 'x' } }],
  ],
  [
    '$dynamicRef leads to the outermost schema of its name',
    {
      $id: 'https://typical.example/root',
      $ref: 'list',
      $defs: {
        foo: { $dynamicAnchor: 'items', ...text },
        list: {
          $id: 'list',
          type: 'array',
          items: { $dynamicRef: '#items' },
          $defs: { items: { $dynamicAnchor: 'items' } },
        },
      },
    },
    [['foo', 'bar']],
    [['foo', 42]],
  ],
  [
    '$dynamicRef passes over scopes without its name',
    {
      $id: 'https://passes.example/root',
      $ref: 'between',
      $defs: {
        foo: { $dynamicAnchor: 'items', ...text },
        between: { $id: 'between', $ref: 'list' },
        list: {
          $id: 'list',
          type: 'array',
          items: { $dynamicRef: '#items' },
          $defs: { items: { $dynamicAnchor: 'items' } },
        },
      },
    },
    [['foo', 'bar']],
    [['foo', 42]],
  ],
  [
    'an $anchor of the name of a $dynamicRef is not on the way',
    {
      $id: 'https://plain.example/root',
      $ref: 'list',
      $defs: {
        foo: { $anchor: 'items', ...text },
        list: {
          $id: 'list',
          type: 'array',
          items: { $dynamicRef: '#items' },
          $defs: { items: { $dynamicAnchor: 'items' } },
        },
      },
    },
    [['foo', 42]],
    ['foo'],
  ],
  [
    '$dynamicRef to a plain name is $ref, whatever is on the way',
    {
      $id: 'https://bookend.example/root',
      $ref: 'list',
      $defs: {
        foo: { $dynamicAnchor: 'items', ...text },
        list: {
          $id: 'list',
          type: 'array',
          items: { $dynamicRef: '#items' },
          $defs: { items: { $anchor: 'items', $dynamicAnchor: 'foo' } },
        },
      },
    },
    [['foo', 42]],
    ['foo'],
  ],
  [
    '$dynamicRef to another resource',
    {
      $id: 'https://relative.example/root',
      $dynamicAnchor: 'meta',
      type: 'object',
      properties: { foo: { const: 'pass' } },
      $ref: 'extended',
      $defs: {
        extended: {
          $id: 'extended',
          $dynamicAnchor: 'meta',
          type: 'object',
          properties: { bar: { $ref: 'bar' } },
        },
        bar: { $id: 'bar', type: 'object', properties: { baz: { $dynamicRef: 'extended#meta' } } },
      },
    },
    [{ foo: 'pass', bar: { baz: { foo: 'pass' } } }],
    [{ foo: 'pass', bar: { baz: { foo: 'fail' } } }],
  ],
  [
    'several ways to one $dynamicRef',
    {
      $id: 'https://ways.example/main',
      if: { properties: { kind: { const: 'numbers' } }, required: ['kind'] },
      then: { $ref: 'numbers' },
      else: { $ref: 'texts' },
      $defs: {
        list: {
          $id: 'list',
          properties: { list: { items: { $dynamicRef: '#item' } } },
          $defs: { item: { $dynamicAnchor: 'item' } },
        },
        numbers: {
          $id: 'numbers',
          $defs: { item: { $dynamicAnchor: 'item', ...number } },
          $ref: 'list',
        },
        texts: { $id: 'texts', $defs: { item: { $dynamicAnchor: 'item', ...text } }, $ref: 'list' },
      },
    },
    [
      { kind: 'numbers', list: [1.1] },
      { kind: 'texts', list: ['foo'] },
    ],
    [
      { kind: 'numbers', list: ['foo'] },
      { kind: 'texts', list: [1.1] },
    ],
  ],
  [
    'a scope that was left is on no way',
    {
      $id: 'https://left.example/main',
      if: { $id: 'first', $defs: { thing: { $dynamicAnchor: 'thing', ...number } } },
      then: {
        $id: 'second',
        $ref: 'start',
        $defs: { thing: { $dynamicAnchor: 'thing', type: 'null' } },
      },
      $defs: {
        start: { $id: 'start', $dynamicRef: 'inner#thing' },
        thing: { $id: 'inner', $dynamicAnchor: 'thing', ...text },
      },
    },
    [null],
    ['a string', 42],
  ],
  [
    'a tree whose nodes are those of the tree that extends it',
    {
      $id: 'https://strict.example/strict-tree',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
        },
      },
    },
    [{ children: [{ data: 1 }] }],
    [{ children: [{ daat: 1 }] }],
  ],
  [
    'each resource on the way counts, wherever it is entered',
    {
      $id: 'https://avoids.example/base',
      $ref: 'first#/$defs/stuff',
      $defs: {
        first: {
          $id: 'first',
          $defs: {
            stuff: { $ref: 'second#/$defs/stuff' },
            length: { $dynamicAnchor: 'length', maxLength: 1 },
          },
        },
        second: {
          $id: 'second',
          $defs: {
            stuff: { $ref: 'third#/$defs/stuff' },
            length: { $dynamicAnchor: 'length', maxLength: 2 },
          },
        },
        third: {
          $id: 'third',
          $defs: {
            stuff: { $dynamicRef: '#length' },
            length: { $dynamicAnchor: 'length', maxLength: 3 },
          },
        },
      },
    },
    ['a'],
    ['hi'],
  ],
  [
    'a resource that is only around the target is not on the way',
    {
      $id: 'https://skips.example/main',
      type: 'object',
      properties: { bar: { $ref: 'item' } },
      $defs: {
        bar: {
          $id: 'bar',
          type: 'array',
          items: { $ref: 'item' },
          $defs: {
            item: {
              $id: 'item',
              type: 'object',
              properties: { content: { $dynamicRef: '#content' } },
              $defs: { content: { $dynamicAnchor: 'content', type: 'integer' } },
            },
            content: { $dynamicAnchor: 'content', ...text },
          },
        },
      },
    },
    [{ bar: { content: 42 } }],
    [{ bar: { content: 'value' } }],
  ],
  [
    '$dynamicRef to an $anchor is $ref',
    { items: { $dynamicRef: '#only' }, $defs: { a: { $anchor: 'only', ...text } } },
    [['x']],
    [[1]],
  ],
  [
    '$dynamicRef to a pointer is $ref',
    { items: { $dynamicRef: '#/$defs/a' }, $defs: { a: { $dynamicAnchor: 'pointed', ...text } } },
    [['x']],
    [[1]],
  ],
  [
    '$dynamicRef to the only anchor of its name is $ref',
    { items: { $dynamicRef: '#one' }, $defs: { a: { $dynamicAnchor: 'one', ...text } } },
    [['x']],
    [[1]],
  ],
  [
    '$ref to a $dynamicAnchor',
    { items: { $ref: '#two' }, $defs: { a: { $dynamicAnchor: 'two', ...text } } },
    [['x']],
    [[1]],
  ],
  [
    '$dynamicRef beside $ref',
    {
      $ref: '#/$defs/list',
      $dynamicRef: '#three',
      $defs: { list: { type: 'array' }, a: { $dynamicAnchor: 'three', maxItems: 1 } },
    },
    [[1]],
    [[1, 2], 'x'],
  ],
]

describe('a reference', () => {
  it.each(cases.map(([rule, ...rest], index) => [rule, index, rest] as const))(
    '%s',
    async (_, index, [, valid, invalid]) => {
      const outcome = (await outcomes)[index]
      if (outcome === undefined || 'rejected' in outcome)
        throw new Error(`rejected: ${outcome?.rejected}`)
      expect(valid.filter((value) => !outcome.accepts(value))).toEqual([])
      expect(invalid.filter((value) => outcome.accepts(value))).toEqual([])
    },
  )

  const outcomes = judgeSchemas(cases.map(([, schema]) => schema))
})

const listCodes = async (schema: Json): Promise<readonly string[]> => {
  const text = JSON.stringify(withSchemas({ Subject: schema }), undefined, 1)
  return (await diagnose({ 'openapi.json': text }, 'openapi.json')).map(
    ({ code, place }) => `${code} ${place.line}:${place.column}`,
  )
}

it('creates a schema for each path to a generic one, even without any $id', async () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const bound = (schema: object) => ({
    ...ref('Page'),
    $defs: { item: { $dynamicAnchor: 'item', ...schema } },
  })
  const page = {
    type: 'object',
    properties: { items: { type: 'array', items: { $dynamicRef: '#item' } }, next: ref('Link') },
    required: ['items'],
    $defs: { item: { $dynamicAnchor: 'item', not: {} } },
  }
  const api = await build(
    withSchemas({
      Page: page,
      Link: text,
      Pet: { type: 'object' },
      Pets: bound(ref('Pet')),
      Numbers: bound(number),
      Twice: bound(ref('Pet')),
    }),
  )
  const types = typesWith()
    .emit(api)
    .flatMap(({ body }) =>
      Array.from(body, (code) => code.text.replaceAll(/\/\*[^]*?\*\/|\s+/g, ' ')),
    )
  expect(types.map((one) => one.trim())).toEqual(
    expect.arrayContaining([
      'export type PageOfPet = { items: Pet[] next?: Link }',
      'export type PageOfNumbersItem = { items: NumbersItem[] next?: Link }',
      'export type Pets = PageOfPet',
      'export type Twice = PageOfPet',
    ]),
  )
})

describe('an unsupported reference', () => {
  it('is one to another host, whatever its $id says', async () => {
    expect(
      await listCodes({
        $id: 'https://a.example/root',
        $ref: 'https://json-schema.org/draft/2020-12/schema',
      }),
    ).toEqual(['FB2003 12:5'])
  })

  it('is one without a target, or not a string', async () => {
    expect(await listCodes({ $ref: '#nowhere' })).toEqual(['FB2001 11:5'])
    expect(await listCodes({ $id: 'https://a.example/root', $ref: '#/$defs/nowhere' })).toEqual([
      'FB2001 12:5',
    ])
    expect(await listCodes({ $ref: 5 })).toEqual(['FB2001 11:5'])
    expect(await listCodes({ $dynamicRef: 5 })).toEqual(['FB3002 11:5'])
  })

  it('is one to itself', async () => {
    expect(
      (await listCodes({ $id: 'https://a.example/root', $ref: '#' })).map((code) =>
        code.slice(0, 6),
      ),
    ).toEqual(['FB2004'])
  })
})
