import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { load, withFiles } from '../../test/documents.js'
import { types } from '../emitters/types.js'
import { generate } from '../pipeline/generate.js'
import { folder } from '../pipeline/target.js'
import { readFilter, select, type Selection } from './select.js'

const createRef = (name: string): unknown => ({ $ref: `#/components/schemas/${name}` })
const createResponses = (schema: unknown): unknown => ({
  200: { description: 'Done', content: { 'application/json': { schema } } },
})
const document = {
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        tags: ['pets'],
        responses: createResponses(createRef('Pet')),
      },
      post: {
        operationId: 'addPet',
        tags: ['pets'],
        'x-internal': true,
        responses: createResponses(createRef('Odd')),
      },
    },
    '/admin/users': {
      get: {
        operationId: 'listUsers',
        tags: ['admin'],
        'x-stage': 'beta',
        responses: createResponses(createRef('User')),
      },
    },
    '/admin/users/{id}': {
      delete: {
        operationId: 'removeUser',
        'x-internal': false,
        responses: { 204: { $ref: '#/components/responses/Gone' } },
      },
    },
  },
  components: {
    responses: { Gone: { description: 'Gone' } },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    schemas: {
      Pet: {
        discriminator: { propertyName: 'kind', mapping: { cat: 'Cat' } },
        properties: { owner: createRef('Owner') },
      },
      Cat: { type: 'object' },
      Owner: { type: 'object', properties: { pet: createRef('Pet') } },
      User: { type: 'object' },
      Odd: { type: 'file' },
      Unused: { type: 'string' },
    },
  },
}

const selection = (
  include: readonly string[],
  exclude: readonly string[] = [],
  prune = false,
): Selection => {
  const filters = (texts: readonly string[]) =>
    texts.map((text) => readFilter(text) ?? expect.fail(text))
  return { include: filters(include), exclude: filters(exclude), prune }
}

async function selectOperations(...filters: Parameters<typeof selection>) {
  const loaded = await load({ 'openapi.json': JSON.stringify(document) }, {}, 'openapi.json')
  const { root } = select(loaded.document ?? expect.fail(), selection(...filters)).document
  const { paths, components } = root as typeof document
  return {
    operations: Object.values(paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    ),
    components: Object.values(components).flatMap((members) => Object.keys(members)),
  }
}

describe('filters', () => {
  it.each<readonly [readonly string[], readonly string[], readonly string[]]>([
    [['tag:pets'], [], ['listPets', 'addPet']],
    [['tag:p*', 'id:removeUser'], [], ['listPets', 'addPet', 'removeUser']],
    [['path:/admin/*'], [], ['listUsers']],
    [['path:/admin/**'], [], ['listUsers', 'removeUser']],
    [[], ['path:/admin/**'], ['listPets', 'addPet']],
    [['tag:pets'], ['method:POST'], ['listPets']],
    [['id:list*'], [], ['listPets', 'listUsers']],
    [['x-internal'], [], ['addPet']],
    [['x-internal:false'], [], ['removeUser']],
    [['x-stage:b*'], [], ['listUsers']],
    [['id:list.'], [], []],
  ])('include %j and exclude %j select %j', async (include, exclude, operations) => {
    expect((await selectOperations(include, exclude)).operations).toEqual(operations)
  })

  it.each(['pets', 'tag:', 'color:red', 'x-', ''])('cannot be %j', (text) => {
    expect(readFilter(text)).toBeUndefined()
  })

  it('drop unused components, but no security scheme', async () => {
    expect((await selectOperations(['id:listPets'])).components.toSorted()).toEqual([
      'Cat',
      'Owner',
      'Pet',
      'key',
    ])
    expect((await selectOperations([], ['path:/pets'])).components.toSorted()).toEqual([
      'Gone',
      'User',
      'key',
    ])
  })

  it('select operations of additional methods', async () => {
    const copy = {
      operationId: 'copyPet',
      tags: ['pets'],
      responses: createResponses(createRef('Pet')),
    }
    const link = { operationId: 'linkPet', responses: createResponses(createRef('User')) }
    const other = {
      ...document,
      openapi: '3.2.0',
      paths: { '/pets/{id}': { additionalOperations: { COPY: copy, LINK: link } } },
    }
    const loaded = await load({ 'openapi.json': JSON.stringify(other) }, {}, 'openapi.json')
    const selectPaths = (...filters: Parameters<typeof selection>) =>
      select(loaded.document ?? expect.fail(), selection(...filters)).document.root['paths']
    const only = (operations: object) => ({ '/pets/{id}': { additionalOperations: operations } })
    expect(selectPaths(['tag:pets'])).toEqual(only({ COPY: copy }))
    expect(selectPaths(['method:link'])).toEqual(only({ LINK: link }))
    expect(selectPaths([], ['id:none'])).toEqual(only({ COPY: copy, LINK: link }))
    expect(selectPaths(['id:none'])).toEqual({})
  })

  it('are not required to drop unused components', async () => {
    const { operations, components } = await selectOperations([], [], true)
    expect([operations.length, components.includes('Unused'), components.includes('User')]).toEqual(
      [4, false, true],
    )
    expect((await selectOperations([])).components).toContain('Unused')
  })

  it('are reported if they match nothing, and reject a document with strict', async () => {
    await withFiles({ 'a.json': JSON.stringify(document) }, async (cwd) => {
      const run = async (strict: boolean, ...filters: Parameters<typeof selection>) => {
        const options = {
          spec: 'a.json',
          cwd,
          target: folder('out', 'make'),
          emitters: [types],
          strict,
        }
        const { status, diagnostics } = await generate({
          ...options,
          selection: selection(...filters),
        })
        return [
          status,
          ...diagnostics
            .filter(({ code }) => code !== 'FB3001')
            .map((one) => `${one.severity} ${one.found}: ${one.expected}`),
        ]
      }
      const unmatched = [['id:listPets', 'id:lisPets'], ['tag:pest']] as const
      const messages = [
        'include "id:lisPets": "id:listPets"; did you mean that?',
        'exclude "tag:pest": "tag:pets"; did you mean that?',
      ]
      expect(await run(false, ['id:listPets'])).toEqual(['written'])
      expect(await run(false, ...unmatched)).toEqual([
        'clean',
        ...messages.map((one) => `warning ${one}`),
      ])
      expect(await run(true, ...unmatched)).toEqual([
        'faulty',
        ...messages.map((one) => `error ${one}`),
      ])
    })
  })

  it('that match no operation reject a document, and remove nothing', async () => {
    await withFiles({ 'a.json': JSON.stringify(document) }, async (cwd) => {
      const run = async (...filters: Parameters<typeof selection>) =>
        generate({
          spec: 'a.json',
          cwd,
          target: folder('out', 'make'),
          emitters: [types],
          selection: selection(...filters),
        })
      await run([], ['id:addPet'])
      const files = await readdir(join(cwd, 'out'), { recursive: true })
      const leavingNone: readonly Parameters<typeof selection>[] = [
        [['tag:pest']],
        [['tag:pets'], ['path:/pets']],
      ]
      for (const filters of leavingNone) {
        const { status, diagnostics } = await run(...filters)
        expect([status, diagnostics.at(-1)?.code, diagnostics.at(-1)?.severity]).toEqual([
          'faulty',
          'FB1014',
          'error',
        ])
      }
      expect(await readdir(join(cwd, 'out'), { recursive: true })).toEqual(files)
    })
  })

  it('drop errors along with the parts that contain them', async () => {
    const broken = {
      ...document,
      paths: {
        ...document.paths,
        '/broken': { get: { $ref: '#/nowhere' }, put: { parameters: [{ $ref: 'no.yaml' }] } },
      },
    }
    await withFiles({ 'a.json': JSON.stringify(broken) }, async (cwd) => {
      const run = async (include: string) =>
        generate({
          spec: 'a.json',
          cwd,
          target: folder('out', 'make'),
          emitters: [],
          strict: true,
          selection: selection([include]),
        })
      expect((await run('id:listPets')).status).toBe('clean')
      expect((await run('id:addPet')).diagnostics.map(({ code }) => code)).toEqual(['FB3001'])
      expect((await run('path:/broken')).diagnostics.map(({ code }) => code)).toContain('FB2002')
    })
  })
})
