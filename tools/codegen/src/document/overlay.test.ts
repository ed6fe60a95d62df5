import { describe, expect, it } from 'vitest'
import { diagnose, load } from '../../test/documents.js'

const spec = `openapi: 3.1.0
info: { title: Test, version: "1" }
tags: [{ name: a }, { name: b }, { name: c }]
paths:
  /a: { get: &shared { operationId: a, x-internal: true, responses: { 200: { description: Done } } } }
  /b: { get: *shared }
`
const createOverlay = (actions: string): string =>
  `overlay: 1.2.0\ninfo: { title: Test, version: "1" }\nactions:\n${actions}`

async function applyActions(actions: string): Promise<Record<string, unknown>> {
  const { document, diagnostics } = await load(
    { 'openapi.yaml': spec, 'o.yaml': createOverlay(actions) },
    { overlays: ['o.yaml'] },
  )
  expect(diagnostics).toEqual([])
  return document?.root ?? {}
}

describe('an overlay', () => {
  it('merges objects, without changing values that are shared only by an alias', async () => {
    const { info, paths } =
      await applyActions(`  - { target: $.info, update: { title: Other, x-a: { b: 1 } } }
  - { target: "$.paths['/a'].get", update: { summary: New } }
  - { target: $.info, update: { x-a: { c: 2 } } }\n`)
    expect(info).toEqual({ title: 'Other', version: '1', 'x-a': { b: 1, c: 2 } })
    expect(paths).toMatchObject({
      '/a': { get: { summary: 'New' } },
      '/b': { get: expect.not.objectContaining({ summary: 'New' }) as unknown },
    })
  })

  it('appends to arrays', async () => {
    const { tags } = await applyActions(
      '  - { target: $.tags, update: { name: d } }\n  - { target: "$", update: { tags: [{ name: e }] } }\n',
    )
    expect(tags).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })))
  })

  it('removes what a query selects, also from arrays', async () => {
    const { tags, paths } =
      await applyActions(`  - { target: "$.tags[?@.name != 'b']", remove: true }
  - { target: "$.paths.*.get['x-internal']", remove: true }
  - { target: "$.paths['/b']", remove: true }\n`)
    expect([
      tags,
      Object.keys(paths as object),
      JSON.stringify(paths).includes('x-internal'),
    ]).toEqual([[{ name: 'b' }], ['/a'], false])
  })

  it('removes each node once, even if a query selects it twice or selects its descendants', async () => {
    const { tags } = await applyActions('  - { target: "$.tags[0,0,2]", remove: true }\n')
    expect(tags).toEqual([{ name: 'b' }])
    expect((await applyActions('  - { target: "$.paths..*", remove: true }\n'))['paths']).toEqual(
      {},
    )
  })

  it('replaces a primitive value, and removes one from an array', async () => {
    const { info } = await applyActions(`  - { target: $.info, update: { x-list: [a, b, c] } }
  - { target: $.info.title, update: Other }
  - { target: "$.info['x-list'][?@ == 'b']", remove: true }\n`)
    expect(info).toEqual({ title: 'Other', version: '1', 'x-list': ['a', 'c'] })
  })

  it('copies a node into others, and moves it with a removal', async () => {
    const { paths, tags } = await applyActions(`  - { target: $.paths, update: { /new: {} } }
  - { target: "$.paths['/new']", copy: "$.paths['/a']" }
  - { target: "$.paths['/a']", remove: true }
  - { target: "$.paths['/new'].get", update: { summary: Moved } }
  - { target: $.tags, copy: $.tags }
  - { target: "$.tags[0]", update: { name: z } }\n`)
    expect(paths).toMatchObject({
      '/new': { get: { operationId: 'a', summary: 'Moved' } },
      '/b': { get: { operationId: 'a' } },
    })
    expect(Object.keys(paths as object).toSorted()).toEqual(['/b', '/new'])
    expect(tags).toEqual(['z', 'b', 'c', 'a', 'b', 'c'].map((name) => ({ name })))
  })

  it('applies a reusable action to each target, and fields next to the reference win', async () => {
    const text = `${createOverlay(`  - { $ref: '#/components/actions/a~1b', target: "$.paths['/a'].get" }
  - { $ref: '#/components/actions/a~1b', target: "$.paths['/b'].get", update: { summary: Own } }\n`)}components:
  actions: { a/b: { description: Adds a summary, fields: { update: { summary: Shared } } } }\n`
    const { document } = await load(
      { 'openapi.yaml': spec, 'o.yaml': text },
      { overlays: ['o.yaml'] },
    )
    expect(document?.root['paths']).toMatchObject({
      '/a': { get: { summary: 'Shared' } },
      '/b': { get: { summary: 'Own' } },
    })
  })

  it.each([
    ['{ target: "$[", remove: true }', expect.stringMatching(/^"\$\[", /)],
    ['{ target: $.info }', 'neither update, copy nor remove'],
    ['{ update: {} }', 'target nothing'],
    ['{ target: $.info, update: {}, copy: $.info }', 'both update and copy'],
    ['{ target: $.info, copy: 1 }', 'copy 1'],
    ['{ target: $.info, copy: $.tags.* }', 'copy "$.tags.*", which selects 3 nodes'],
    ['{ target: $, remove: true }', '"$", which selects the whole document'],
    [
      '{ target: $.info.title, update: { a: 1 } }',
      'an object for a primitive value at /info/title',
    ],
    ['{ target: $.info, update: { title: [a] } }', 'an array for a primitive value at /info/title'],
    ['{ target: $, update: { info: null } }', 'a primitive value for an object at /info'],
    [
      '{ target: $.*, update: {} }',
      '"$.*", which selects a primitive value and an array and an object',
    ],
    [
      "{ $ref: '#/components/actions/none', target: $ }",
      '$ref "#/components/actions/none", which does not name an action',
    ],
  ])('that has the action %s cannot be applied', async (action, found) => {
    const text = createOverlay(`  - ${action}\n`)
    const { document, diagnostics } = await load(
      { 'openapi.yaml': spec, 'o.yaml': text },
      { overlays: ['o.yaml'] },
    )
    expect(document).toBeUndefined()
    expect(diagnostics.map((one) => [one.code, one.place.file, one.place.line, one.found])).toEqual(
      [['FB1010', 'o.yaml', 4, found]],
    )
  })

  it('that doubles the document again and again is rejected', async () => {
    const text = createOverlay(
      Array.from(
        { length: 40 },
        (_, index) =>
          `  - { target: $, update: { x-${index}: {} } }\n  - { target: "$['x-${index}']", copy: $ }\n`,
      ).join(''),
    )
    const { diagnostics } = await load(
      { 'openapi.yaml': spec, 'o.yaml': text },
      { overlays: ['o.yaml'] },
    )
    expect(diagnostics.map(({ code, found }) => `${code} ${found}`)).toEqual([
      'FB1010 copies of more than 1000000 values',
    ])
  })

  it.each([
    'overlay: 2.0.0\nactions: []\n',
    'overlay: 1.3.0\nactions: []\n',
    'overlay: 1.1.0\n',
    'openapi: 3.1.0\n',
  ])('is invalid: %j', async (text) => {
    const { document, diagnostics } = await load(
      { 'openapi.yaml': spec, 'o.yaml': text },
      { overlays: ['o.yaml'] },
    )
    expect([
      document,
      ...diagnostics.map(({ code, place }) => `${code} ${place.file}:${place.line}`),
    ]).toEqual([undefined, 'FB1010 o.yaml:1'])
  })

  it('has its own locations, and parts of the document keep theirs', async () => {
    const actions = `  - { target: "$.tags[?@.name == 'a']", remove: true }
  - { target: $.tags, update: { name: d } }
  - target: $.info
    update:
      title: Other
      x-a: { b: 1 }
  - { target: $.info, copy: "$.paths['/a'].get" }\n`
    const { document } = await load(
      { 'openapi.yaml': spec, 'o.yaml': createOverlay(actions) },
      { overlays: ['o.yaml'] },
    )
    const findPlace = (pointer: string) => {
      const { file, line, pointer: inFile } = document?.place(pointer) ?? expect.fail()
      return `${file}:${line} ${inFile}`
    }
    expect(findPlace('/tags/0/name')).toBe('openapi.yaml:3 /tags/1/name')
    expect(findPlace('/tags/2/name')).toBe('o.yaml:5 /actions/1/update/name')
    expect(findPlace('/info/title')).toBe('o.yaml:8 /actions/2/update/title')
    expect(findPlace('/info/x-a/b')).toBe('o.yaml:9 /actions/2/update/x-a/b')
    expect(findPlace('/info/version')).toBe('openapi.yaml:2 /info/version')
    expect(findPlace('/info/responses/200/description')).toBe(
      'openapi.yaml:5 /paths/~1a/get/responses/200/description',
    )
    expect(findPlace('/paths/~1b/get')).toBe('openapi.yaml:6 /paths/~1b/get')
  })

  it('is applied before a Swagger 2.0 document is converted', async () => {
    const swagger =
      'swagger: "2.0"\ninfo: { title: Test, version: "1" }\npaths: {}\ndefinitions: { A: { type: string } }\n'
    const files = {
      'openapi.yaml': swagger,
      'o.yaml': createOverlay('  - { target: $.definitions.A, update: { type: integer } }\n'),
    }
    const { document } = await load(files, { overlays: ['o.yaml'] })
    expect(document?.root['components']).toEqual({ schemas: { A: { type: 'integer' } } })
    expect(await diagnose(files)).toEqual([])
  })
})
