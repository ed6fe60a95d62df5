import { describe, expect, it } from 'vitest'
import { diagnose, load } from '../../test/documents.js'

const spec = `openapi: 3.1.0
info: { title: Test, version: "1" }
tags: [{ name: a }, { name: b }, { name: c }]
paths:
  /a: { get: &shared { operationId: a, x-internal: true, responses: { 200: { description: Done } } } }
  /b: { get: *shared }
`
const overlay = (actions: string): string => `overlay: 1.0.0\ninfo: { title: Test, version: "1" }\nactions:\n${actions}`

async function changed(actions: string): Promise<Record<string, unknown>> {
  const { document, diagnostics } = await load({ 'openapi.yaml': spec, 'o.yaml': overlay(actions) }, { overlays: ['o.yaml'] })
  expect(diagnostics).toEqual([])
  return document?.root ?? {}
}

const faults = async (text: string): Promise<readonly string[]> => {
  const { document, diagnostics } = await load({ 'openapi.yaml': spec, 'o.yaml': text }, { overlays: ['o.yaml'] })
  expect(document).toBeUndefined()
  return diagnostics.map(({ code, place, found }) => `${code} ${place.file}:${place.line} ${found}`)
}

describe('an overlay', () => {
  it('merges objects, and changes nothing that only an alias shares', async () => {
    const { info, paths } = await changed(`  - { target: $.info, update: { title: Other, x-a: { b: 1 } } }
  - { target: "$.paths['/a'].get", update: { summary: New } }
  - { target: $.info, update: { x-a: { c: 2 } } }\n`)
    expect(info).toEqual({ title: 'Other', version: '1', 'x-a': { b: 1, c: 2 } })
    expect(paths).toMatchObject({
      '/a': { get: { summary: 'New' } },
      '/b': { get: expect.not.objectContaining({ summary: 'New' }) as unknown },
    })
  })

  it('appends to lists', async () => {
    const { tags } = await changed('  - { target: $.tags, update: { name: d } }\n  - { target: "$", update: { tags: [{ name: e }] } }\n')
    expect(tags).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })))
  })

  it('removes what a query selects, from lists too', async () => {
    const { tags, paths } = await changed(`  - { target: "$.tags[?@.name != 'b']", remove: true }
  - { target: "$.paths.*.get['x-internal']", remove: true }
  - { target: "$.paths['/b']", remove: true }
  - { target: $.nothing, remove: true }\n`)
    expect([tags, Object.keys(paths as object), JSON.stringify(paths).includes('x-internal')]).toEqual([[{ name: 'b' }], ['/a'], false])
  })

  it('has its own places, and the document keeps its places', async () => {
    expect(await faults('openapi: 3.1.0\n')).toEqual(['FB1010 o.yaml:1 nothing'])
    expect(await faults(overlay('  - { target: "$[", remove: true }\n'))).toEqual([expect.stringMatching(/^FB1010 o\.yaml:4 "\$\[", /)])
    expect(await faults(overlay('  - { target: $.info }\n'))).toEqual(['FB1010 o.yaml:4 neither update nor remove'])
    expect(await faults(overlay('  - { target: $.info.title, update: { a: 1 } }\n'))).toEqual([
      'FB1010 o.yaml:4 "$.info.title", which selects "Test"',
    ])
    expect(await faults('{')).toEqual([expect.stringMatching(/^FB1002 o\.yaml:1/)])
    const { document } = await load(
      { 'openapi.yaml': spec, 'o.yaml': overlay('  - { target: $.info, update: { x: 1 } }\n') },
      { overlays: ['o.yaml'] },
    )
    expect(document?.place('/paths/~1b/get')).toMatchObject({ file: 'openapi.yaml', line: 6 })
  })

  it('is applied before a Swagger 2.0 document is converted', async () => {
    const swagger = 'swagger: "2.0"\ninfo: { title: Test, version: "1" }\npaths: {}\ndefinitions: { A: { type: string } }\n'
    const files = { 'openapi.yaml': swagger, 'o.yaml': overlay('  - { target: $.definitions.A, update: { type: integer } }\n') }
    const { document } = await load(files, { overlays: ['o.yaml'] })
    expect(document?.root['components']).toEqual({ schemas: { A: { type: 'integer' } } })
    expect(await diagnose(files)).toEqual([])
  })
})
