import { InfiniteQueryObserver, QueryClient } from '@tanstack/query-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateClient } from '../../test/generated-client.js'
import { iteratePages, type PageRule } from '../../runtime/pages/pages.js'
import { client } from './client.js'
import { pages } from './pages.js'
import { queries } from './queries.js'
import { types } from './types.js'

type Options = { readonly baseUrl: string; readonly fetch: typeof globalThis.fetch }
type InfiniteQuery = (
  client: unknown,
  input?: object,
) => ConstructorParameters<typeof InfiniteQueryObserver>[1]
type Pages = (client: unknown, input?: object) => AsyncIterable<{ readonly data?: unknown }>

const query = (name: string, type = 'string') => ({ name, in: 'query', schema: { type } })
const list = { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } }
const more = { type: 'boolean' }
const createListing = (
  operationId: string,
  parameter: object,
  schema: object,
  extra = {},
  rest = {},
) => ({
  get: {
    operationId,
    parameters: [parameter, query('limit', 'integer')],
    ...rest,
    responses: {
      200: { description: 'ok', content: { 'application/json': { schema } }, ...extra },
    },
  },
})
const createObjectSchema = (properties: object) => ({ type: 'object', properties })
const link = { headers: { Link: { schema: { type: 'string' } } } }

const document = {
  openapi: '3.1.0',
  info: { title: 'Lists', version: '1' },
  paths: {
    '/github': createListing('github', query('page', 'integer'), list, link),
    '/stripe': createListing(
      'stripe',
      query('starting_after'),
      createObjectSchema({ data: list, has_more: more }),
    ),
    '/openai': createListing(
      'openai',
      query('after'),
      createObjectSchema({ data: list, last_id: { type: 'string' }, has_more: more }),
    ),
    '/cursor': createListing(
      'cursor',
      query('cursor'),
      createObjectSchema({ items: list, next_cursor: { type: 'string' } }),
    ),
    '/offset': createListing(
      'offset',
      query('offset', 'integer'),
      createObjectSchema({ rows: list }),
    ),
    '/numbered': createListing('numbered', query('page', 'integer'), list),
    '/optional': createListing(
      'optional',
      {
        name: 'page',
        in: 'query',
        schema: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: 1 },
      },
      createObjectSchema({ rows: { anyOf: [list, { type: 'null' }] } }),
    ),
    '/declared': createListing(
      'declared',
      query('from'),
      createObjectSchema({ next: createObjectSchema({ id: {} }) }),
      {},
      {
        'x-pagination': { parameter: 'from', next: 'next.id' },
      },
    ),
    '/keys': createListing(
      'keys',
      query('cursor', 'integer'),
      createObjectSchema({ items: list, next_cursor: { type: ['integer', 'null'] } }),
    ),
    '/last': createListing(
      'last',
      query('starting_after', 'integer'),
      createObjectSchema({
        data: { type: 'array', items: createObjectSchema({ id: { type: 'integer' } }) },
        has_more: more,
      }),
    ),
    '/texts': createListing(
      'texts',
      query('page'),
      list,
      {},
      { 'x-pagination': { parameter: 'page', items: '', by: 'page' } },
    ),
    '/single': createListing('single', query('q'), createObjectSchema({ data: list })),
  },
}

/** Three pages of two items; the last page has one. */
function respondWithPage(url: URL): Response {
  const path = url.pathname.slice(1)
  const given = url.searchParams.get('page') ?? url.searchParams.get('offset')
  const cursor = ['starting_after', 'after', 'cursor', 'from'].map((name) =>
    url.searchParams.get(name),
  )
  const index =
    given === null
      ? Number(cursor.find((one) => one !== null) ?? 0)
      : path === 'offset'
        ? Number(given)
        : (Number(given) - 1) * 2
  const items = ['1', '2', '3', '4', '5'].slice(index, index + 2).map((id) => ({ id }))
  const end = index + items.length
  const isLast = end >= 5
  const bodies: Readonly<Record<string, unknown>> = {
    github: items,
    numbered: items,
    texts: items,
    keys: { items, next_cursor: isLast ? null : end },
    stripe: { data: items, has_more: !isLast },
    openai: { data: items, last_id: String(end), has_more: !isLast },
    cursor: { items, ...(!isLast && { next_cursor: String(end) }) },
    offset: { rows: items },
    optional: { rows: items.length === 0 ? null : items },
    declared: { items, next: isLast ? {} : { id: String(end) } },
    single: { data: items },
  }
  const next = `<https://x.example/github?limit=2&page=${index / 2 + 2}>; rel="next", <https://x.example/github?page=3>; rel="last"`
  return Response.json(
    bodies[path],
    path === 'github' && !isLast ? { headers: { link: next } } : {},
  )
}

let api: Awaited<ReturnType<typeof generateClient>>
let module: Readonly<Record<string, Pages>>
let infinite: Readonly<Record<string, InfiniteQuery>>
const calls: string[] = []
let lists: unknown

beforeAll(async () => {
  api = await generateClient('pages', document, { emitters: [types, client, pages, queries] })
  module = (await api.load('pages/index.ts')) as typeof module
  infinite = (await api.load('queries/index.ts')) as typeof infinite
  const { createClient } = api.module as { readonly createClient: (options: Options) => unknown }
  lists = createClient({
    baseUrl: 'https://x.example',
    fetch: async (input) => {
      const url = new URL(input instanceof Request ? input.url : input)
      calls.push(url.search)
      return respondWithPage(url)
    },
  })
})
afterAll(async () => api.remove())

const services = [
  ['github', 3],
  ['stripe', 3],
  ['openai', 3],
  ['cursor', 3],
  // only a page without items says that there are no more
  ['offset', 4],
  ['numbered', 4],
  ['optional', 4],
  ['texts', 4],
  ['keys', 3],
  ['declared', 3],
] as const

it.each(services)('%s is read page by page to its end', async (name, count) => {
  calls.length = 0
  const found: unknown[] = []
  for await (const { data } of module[`${name}Pages`]?.(lists, { limit: 2 }) ?? []) {
    found.push(...[...JSON.stringify(data).matchAll(/\{"id":"(\d)"\}/g)].map(([, id]) => id))
  }
  const ids = found.filter((id, index) => found.indexOf(id) === index)
  expect([ids, calls.length]).toEqual([['1', '2', '3', '4', '5'], count])
  expect(calls.every((search) => search.includes('limit=2'))).toBe(true)
})

it.each(services)('%s is an infinite query, which a cache can store', async (name, count) => {
  calls.length = 0
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const options = infinite[`${name}InfiniteQuery`]?.(lists, { limit: 2 })
  if (options === undefined) throw new Error(`There is no infinite query of ${name}`)
  const observer = new InfiniteQueryObserver(cache, options)
  let result = await observer.fetchNextPage()
  while (result.hasNextPage) {
    // what a cache has stored and read again says as much
    cache.setQueryData(options.queryKey, (found: unknown) => structuredClone(found))
    result = await observer.fetchNextPage()
  }
  const ids = [...JSON.stringify(result.data).matchAll(/\{"id":"(\d)"\}/g)].map(([, id]) => id)
  expect([[...new Set(ids)], calls.length]).toEqual([['1', '2', '3', '4', '5'], count])
  await cache.refetchQueries({ queryKey: options.queryKey })
  expect(calls).toHaveLength(2 * count)
  expect(calls.slice(count)).toEqual(calls.slice(0, count))
})

it('an operation without pages has no iterator, and the output compiles', async () => {
  expect(Object.keys(module)).not.toContain('singlePages')
  const program = `import { createClient } from './out/client/index.js'
import { cursorPages } from './out/pages/index.js'
import { githubInfiniteQuery, keysInfiniteQuery, lastInfiniteQuery, optionalInfiniteQuery } from './out/queries/index.js'
import type { QueryClient } from '@tanstack/query-core'
export async function count(): Promise<number> {
  let sum = 0
  for await (const page of cursorPages(createClient({ baseUrl: 'https://x.example' })))
    if (page.status === 200) sum += page.data.items?.length ?? 0
  return sum
}
export async function first(cache: QueryClient): Promise<string | undefined> {
  const options = githubInfiniteQuery(createClient({ baseUrl: 'https://x.example' }), { page: 2 })
  const { pages } = await cache.fetchInfiniteQuery(options)
  const page: number | undefined = pages[0]?.next?.page
  return pages[0]?.data[0]?.id ?? String(page)
}
export async function key(cache: QueryClient): Promise<number | undefined> {
  const client = createClient({ baseUrl: 'https://x.example' })
  const { pageParams } = await cache.fetchInfiniteQuery(keysInfiniteQuery(client))
  const last: (number | undefined)[] =
    (await cache.fetchInfiniteQuery(lastInfiniteQuery(client))).pageParams
  const optional: number[] =
    (await cache.fetchInfiniteQuery(optionalInfiniteQuery(client))).pageParams
  return pageParams[0] ?? last[0] ?? optional[0]
}
`
  expect(await api.compile(program)).toBe('')
})

it('an input that is a bigint or a string continues from its number', async () => {
  const read = async (rule: PageRule, input: object): Promise<readonly unknown[]> => {
    const inputs: unknown[] = []
    const call = async (given: object) => {
      inputs.push(given)
      const [id] = inputs.length === 3 ? [] : [BigInt(inputs.length)]
      const data = { next: id, items: id === undefined ? [] : [{ id }] }
      return { status: 200, data, response: new Response() }
    }
    for await (const page of iteratePages(call, input, rule)) void page
    return inputs
  }
  const offset = { by: 'offset', field: 'at', path: ['items'], start: 0 } as const
  expect(await read(offset, { at: 10n })).toEqual([{ at: 10n }, { at: 11 }, { at: 12 }])
  expect(await read(offset, { at: '10' })).toEqual([{ at: '10' }, { at: 11 }, { at: 12 }])
  expect(await read(offset, { at: 'end' })).toEqual([{ at: 'end' }, { at: 1 }, { at: 2 }])
  const cursor = { by: 'cursor', field: 'at', path: ['next'] } as const
  expect(await read(cursor, {})).toEqual([{}, { at: 1n }, { at: 2n }])
})

it('a service that repeats its cursor does not cause an infinite loop', async () => {
  const same = { cursor: async () => ({ status: 200, data: { next_cursor: 'a' } }) }
  const found: unknown[] = []
  for await (const page of module['cursorPages']?.(same) ?? []) found.push(page)
  expect(found).toHaveLength(2)
})
