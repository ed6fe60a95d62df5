import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateApp } from '../../test/app.js'
import { findWorkFolder } from '../../test/both-sides.js'
import { build, diagnose } from '../../test/documents.js'
import { listTypeErrors } from '../../test/type-errors.js'
import { renderFile } from '../emit/code.js'
import { client } from './client.js'
import { queries } from './queries.js'
import { server } from './server.js'
import { types } from './types.js'
import { zod } from './zod.js'

const work = findWorkFolder('queries-app')

describe('the program of the guide', () => {
  beforeAll(async () => generateApp(work, ['queries.ts'], [types, zod, client, server, queries]))
  afterAll(async () => rm(work, { recursive: true, force: true }))

  it('compiles', async () => {
    expect(await listTypeErrors(work, ['queries.ts'])).toEqual([])
  })

  it('compiles where an adapter has other types of options, as those of Vue and Solid do', async () => {
    const adapter = `import type { DefaultError } from '@tanstack/query-core'
import type { createClient } from './api/client/index.js'
import { getPetQuery } from './api/queries/index.js'
declare const client: ReturnType<typeof createClient>
declare function useQuery<Data, Failure = DefaultError>(options: {
  queryKey: readonly unknown[]
  queryFn: (context: never) => Promise<Data>
  initialData?: undefined
  enabled?: () => boolean
  retry?: boolean | number | ((count: number, error: Failure) => boolean)
}): { data: Data; error: Failure }
const { data, error } = useQuery(getPetQuery(client, { id: 1 }))
export const name: string = data.name
export const message: string = 'failure' in error ? error.failure.error.error : error.message
`
    await writeFile(join(work, 'adapter.ts'), adapter)
    expect(await listTypeErrors(work, ['adapter.ts'])).toEqual([])
  })

  it('compiles with the oldest TanStack Query 5 too', async () => {
    const oldest = fileURLToPath(import.meta.resolve('query-core-oldest'))
    const paths = { '@tanstack/query-core': [oldest.replace(/\.\w+$/, '.d.ts')] }
    expect(await listTypeErrors(work, ['queries.ts'], { paths })).toEqual([])
  })

  it('reads, pages, changes and fails, with a server of the same document', async () => {
    const load = async (path: string): Promise<unknown> =>
      import(pathToFileURL(join(work, path)).href)
    type Sides = {
      readonly createServer: (handlers: object) => {
        readonly fetch: (request: Request) => Promise<Response>
      }
      readonly run: (options: object) => Promise<readonly unknown[]>
    }
    const { createServer } = (await load('api/server/index.ts')) as Sides
    const { run } = (await load('queries.ts')) as Sides
    const pets = [
      { id: 1, name: 'Rex' },
      { id: 2, name: 'Waldi' },
    ]
    type Parts = {
      readonly path: { readonly id: number }
      readonly query: { readonly cursor?: string; readonly limit: number }
      readonly body: object
    }
    const handlers = {
      getPet: ({ path }: Parts) => {
        const body = pets.find(({ id }) => id === path.id)
        return body
          ? { status: 200, body }
          : { status: 404, body: { error: 'There is no such pet.' } }
      },
      listPets: ({ query: { cursor = '0', limit } }: Parts) => {
        const end = Number(cursor) + limit
        return {
          status: 200,
          body: {
            items: pets.slice(Number(cursor), end),
            ...(end < pets.length && { next: String(end) }),
          },
        }
      },
      addPet: ({ body }: Parts) => ({ status: 201, body: { id: 3, ...body } }),
    }
    const serving = createServer(handlers)
    const done = await run({
      fetch: async (url: string, init: RequestInit) => serving.fetch(new Request(url, init)),
    })
    expect(done).toEqual([
      ['Rex', 'Rex'],
      true,
      [1, 2],
      false,
      'Bello',
      true,
      'There is no such pet.',
      ['getPet', { id: 9 }],
      ['getPet'],
    ])
  })
})

describe('pages', () => {
  const field = (name: string) => ({
    type: 'object',
    properties: {
      [name]: { type: 'string' },
      meta: { type: 'object', properties: { items: { type: 'array' } } },
    },
  })
  const get = (parameter: string, name: string, more: object = {}) => ({
    openapi: '3.1.0',
    info: { title: 'Pages', version: '1' },
    paths: {
      '/a': {
        get: {
          operationId: 'list',
          parameters: [{ name: parameter, in: 'query', schema: {} }],
          responses: {
            200: { description: '', content: { 'application/json': { schema: field(name) } } },
          },
          ...more,
        },
      },
    },
  })
  const loadPages = async (document: object): Promise<string | undefined> => {
    const [file] = queries.emit(await build(document))
    const text = file && renderFile(file, { banner: '', resolve: (module) => module })
    return /The pages are (.*)\./
      .exec(text ?? '')?.[1]
      ?.concat(` ${/\{ by: .*?\}/.exec(text ?? '')?.[0]}`)
  }

  it.each([
    [
      'cursor',
      'next_cursor',
      {},
      "recognised by the parameter `cursor` and the field `next_cursor` { by: 'cursor', field: 'cursor', path: ['next_cursor'] }",
    ],
    [
      'page_token',
      'nextPageToken',
      {},
      "recognised by the parameter `page_token` and the field `nextPageToken` { by: 'cursor', field: 'page_token', path: ['nextPageToken'] }",
    ],
    [
      'after',
      'end',
      { 'x-pagination': { parameter: 'after', next: 'end' } },
      "declared by `x-pagination` { by: 'cursor', field: 'after', path: ['end'] }",
    ],
    [
      'skip',
      'a',
      { 'x-pagination': { parameter: 'skip', items: 'meta.items' } },
      "declared by `x-pagination` { by: 'offset', field: 'skip', path: ['meta', 'items'], start: 0 }",
    ],
    [
      'p',
      'a',
      { 'x-pagination': { parameter: 'p', items: 'meta.items', by: 'page' } },
      "declared by `x-pagination` { by: 'page', field: 'p', path: ['meta', 'items'], start: 1 }",
    ],
    ['offset', 'next_cursor', {}, undefined],
    ['cursor', 'next', {}, undefined],
  ])('by %s and %s with %j are %s', async (parameter, name, more, expected) => {
    expect(await loadPages(get(parameter, name, more))).toBe(expected)
  })

  it('of an array at the root are counted by its items', async () => {
    const content = { 'application/json': { schema: { type: 'array', items: {} } } }
    const rest = {
      'x-pagination': { parameter: 'p', items: '', by: 'page' },
      responses: { 200: { description: '', content } },
    }
    expect(await loadPages(get('p', 'a', rest))).toBe(
      "declared by `x-pagination` { by: 'page', field: 'p', path: [], start: 1 }",
    )
  })

  it.each([
    [
      { parametr: 'cursor', next: 'next_cursor' },
      '/parametr',
      '"parametr"',
      '"parameter"; did you mean that?',
    ],
    [
      { parameter: 'cursr', next: 'next_cursor' },
      '/parameter',
      '"cursr"',
      '"cursor"; did you mean that?',
    ],
    [{ next: 'next_cursor' }, '/parameter', 'null', 'one of "cursor"'],
    [{ parameter: 'cursor', next: 'other' }, '/next', '"other"', 'one of "next_cursor", "meta"'],
    [{ parameter: 'cursor', items: '' }, '/items', '""', 'one of "next_cursor", "meta"'],
    [
      { parameter: 'cursor', items: 'meta.items', by: 'pages' },
      '/by',
      '"pages"',
      '"offset" or "page"',
    ],
    [
      { parameter: 'cursor', next: 'next_cursor', by: 'page' },
      '/by',
      '"page"',
      'no `by` beside `next`',
    ],
    [
      { parameter: 'cursor', next: 'next_cursor', items: 'meta.items' },
      '',
      undefined,
      'an object with `parameter`, and `next` or `items`',
    ],
    [{ parameter: 'cursor' }, '', undefined, 'an object with `parameter`, and `next` or `items`'],
    [true, '', 'true', 'an object with `parameter`, and `next` or `items`'],
  ])(
    'declared as %j are reported and not generated',
    async (declared, at, found = JSON.stringify(declared), expected) => {
      const document = get('cursor', 'next_cursor', { 'x-pagination': declared })
      expect(await loadPages(document)).toBeUndefined()
      expect(await diagnose({ 'openapi.yaml': JSON.stringify(document) })).toMatchObject([
        {
          code: 'FB4018',
          place: { line: 1, pointer: `/paths/~1a/get/x-pagination${at}` },
          found,
          expected,
        },
      ])
    },
  )

  it('of a mutation are reported', async () => {
    const { get: list } = get('cursor', 'next_cursor', {
      'x-pagination': { parameter: 'cursor', next: 'next_cursor' },
    }).paths['/a']
    const document = { ...get('a', 'a'), paths: { '/a': { post: list } } }
    expect(await diagnose({ 'openapi.yaml': JSON.stringify(document) })).toMatchObject([
      { code: 'FB4018', found: '"POST /a"' },
    ])
  })
})
