import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setupServer } from 'msw/node'
import type { HttpHandler } from 'msw'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { generateApp } from '../../test/app.js'
import { generateBothSides, findWorkFolder } from '../../test/both-sides.js'
import { listTypeErrors } from '../../test/type-errors.js'
import { arbitraries } from './arbitraries.js'
import { client } from './client.js'
import { msw } from './msw.js'
import { server } from './server.js'
import { types } from './types.js'
import { zod } from './zod.js'
import { deepTest, sampleCases } from '../../../internal/testing/src/rounds.js'

const work = findWorkFolder('msw-app')
const load = async (path: string): Promise<unknown> => import(pathToFileURL(path).href)

describe('the program of the guide', () => {
  beforeAll(async () =>
    generateApp(work, ['mocks.ts'], [types, zod, arbitraries, client, server, msw]),
  )
  afterAll(async () => rm(work, { recursive: true, force: true }))

  deepTest('compiles', async () => {
    expect(
      await listTypeErrors(work, ['mocks.ts'], {
        types: ['node'],
        lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      }),
    ).toEqual([])
  })

  it('responds with examples, values and custom handlers, and rejects what the document rejects', async () => {
    const done = (await load(join(work, 'mocks.ts'))) as Readonly<
      Record<string, { readonly status: number }>
    >
    expect(done['example']).toMatchObject({ status: 200, data: { id: 7, name: 'Rex' } })
    expect(done['made']).toMatchObject({
      status: 200,
      data: { items: expect.any(Array) as unknown },
    })
    expect(done['rejected']).toMatchObject({ name: 'UnexpectedResponseError', status: 400 })
    expect(done['missing']).toMatchObject({
      status: 404,
      error: { error: expect.any(String) as unknown },
    })
    expect(done['added']).toMatchObject({ status: 201, data: { id: 1, name: 'Rex' } })
    expect(done['items']).toHaveLength(3)
    expect(done['unknown']).toBeInstanceOf(Error)
  })
})

describe('servers', () => {
  const own = findWorkFolder('msw-servers')
  afterAll(async () => rm(own, { recursive: true, force: true }))
  const responses = {
    200: { description: 'Done', content: { 'application/json': { example: { ok: true } } } },
  }
  const get = (operationId: string, more: object = {}) => ({
    get: { operationId, responses, ...more },
  })
  const document = {
    openapi: '3.1.0',
    info: { title: 'Servers', version: '1' },
    servers: [
      { url: '/relative' },
      { url: 'https://{region}.example/v1', variables: { region: { default: 'eu' } } },
    ],
    paths: {
      '/a': get('a'),
      '/files': { servers: [{ url: 'https://files.example/up' }], ...get('files') },
      '/own': get('own', { servers: [{ url: 'https://own.example' }] }),
    },
  }

  it('of the document, of paths and of operations are mocked, and no others', async () => {
    const sides = await generateBothSides(own, document, [msw])
    const { createMocks } = (await load(join(sides.folder, 'msw/index.ts'))) as {
      readonly createMocks: (options?: object) => readonly HttpHandler[]
    }
    const { createClient } = (await load(join(sides.folder, 'client/index.ts'))) as {
      readonly createClient: (
        options?: object,
      ) => Readonly<Record<string, () => Promise<{ readonly data: unknown }>>>
    }
    const mocks = setupServer(...createMocks())
    mocks.listen({ onUnhandledRequest: 'error' })
    try {
      const client = createClient()
      for (const id of ['a', 'files', 'own'])
        expect(await client[id]?.()).toMatchObject({ status: 200, data: { ok: true } })
      await expect(fetch('https://eu.example/v2/a')).rejects.toThrow()
      // as a page has it
      vi.stubGlobal('location', new URL('https://page.example/pets'))
      mocks.use(...createMocks({ baseUrl: '/api/' }))
      const relative = await fetch('https://page.example/api/a')
      expect(await relative.json()).toEqual({ ok: true })
      for (const baseUrl of [
        'http://[::1]:4020/v1',
        'https://a.example:443/v(1)',
        'https://b.example/a b',
      ]) {
        mocks.use(...createMocks({ baseUrl }))
        expect(await (await fetch(`${baseUrl}/a`)).json()).toEqual({ ok: true })
      }
      mocks.use(...createMocks({ baseUrl: '*/v3' }))
      expect(await (await fetch('https://any.example/v3/a')).json()).toEqual({ ok: true })
    } finally {
      mocks.close()
    }
  })
})

describe('items', () => {
  const own = findWorkFolder('msw-items')
  afterAll(async () => rm(own, { recursive: true, force: true }))
  const get = (operationId: string, type: string, itemSchema: object, example: unknown) => ({
    get: {
      operationId,
      responses: { 200: { description: '', content: { [type]: { itemSchema, example } } } },
    },
  })
  const event = { type: 'object', required: ['data'], properties: { data: { const: 'new' } } }
  const document = {
    openapi: '3.2.0',
    info: { title: 'Items', version: '1' },
    servers: [{ url: 'https://items.example' }],
    paths: {
      '/events': get('events', 'text/event-stream', event, 'data: new\n\n'),
      '/written': get('written', 'application/jsonl', { const: 1 }, '1\n1\n'),
      '/listed': get('listed', 'application/jsonl', { type: 'integer' }, [1, 2]),
    },
  }

  it('are generated if the example is a string, and taken from an array example', async () => {
    const sides = await generateBothSides(own, document, [msw])
    const { createMocks } = (await load(join(sides.folder, 'msw/index.ts'))) as {
      readonly createMocks: () => readonly HttpHandler[]
    }
    const mocks = setupServer(...createMocks())
    mocks.listen({ onUnhandledRequest: 'error' })
    try {
      const read = async (path: string) => (await fetch(`https://items.example/${path}`)).text()
      expect(await read('events')).toBe('data: new\n\n'.repeat(3))
      expect(await read('written')).toBe('1\n'.repeat(3))
      expect(await read('listed')).toBe('1\n2\n')
    } finally {
      mocks.close()
    }
  })
})

describe('headers', () => {
  const own = findWorkFolder('msw-headers')
  afterAll(async () => rm(own, { recursive: true, force: true }))
  const header = (schema: object, more: object = {}) => ({ required: true, schema, ...more })
  const headers = {
    'X-Given': header({ type: 'string', example: 'given' }),
    'X-Left': header({ type: 'integer', minimum: 1, maximum: 9 }),
    'X-Long': header({ $ref: '#/components/schemas/Long' }),
    'X-Ids': header({ type: 'array', minItems: 2, items: { enum: ['a', 'b'] } }),
    'X-Next': header({ type: ['string', 'null'] }),
    'X-Any': header({}),
    'X-At': header({ type: 'string', format: 'date-time' }),
    'X-Json': {
      required: true,
      content: { 'application/json': { schema: { const: { a: [1] } } } },
    },
    'Content-Encoding': header({ enum: ['gzip'] }),
    'Content-Length': header({ const: 7 }),
    'X-Optional': { schema: { type: 'string' } },
  }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Headers', version: '1' },
    servers: [{ url: 'https://headers.example' }],
    paths: {
      '/': { get: { operationId: 'read', responses: { '2XX': { description: '', headers } } } },
    },
    components: { schemas: { Long: { type: 'string', minLength: 50 } } },
  }

  it('that the document requires are sent', async () => {
    const sides = await generateBothSides(own, document, [msw])
    const { createMocks } = (await load(join(sides.folder, 'msw/index.ts'))) as {
      readonly createMocks: () => readonly HttpHandler[]
    }
    const mocks = setupServer(...createMocks())
    mocks.listen({ onUnhandledRequest: 'error' })
    try {
      const client = sides.createClient({ baseUrl: 'https://headers.example' })
      expect(await client['read']?.()).toHaveProperty('headers', {
        xGiven: 'given',
        xLeft: expect.any(Number) as unknown,
        xLong: expect.stringMatching(/^[a-z]{50,}$/) as unknown,
        xIds: expect.arrayContaining([expect.stringMatching(/^[ab]$/)]) as unknown,
        xNext: expect.stringMatching(/^[a-z]+$/) as unknown,
        xAny: expect.any(String) as unknown,
        xAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown,
        xJson: { a: [1] },
      })
    } finally {
      mocks.close()
    }
  })
})

describe('a body', () => {
  const own = findWorkFolder('msw-bodies')
  afterAll(async () => rm(own, { recursive: true, force: true }))
  const pet = {
    type: 'object',
    required: ['name'],
    properties: { name: { const: 'Rex' } },
    additionalProperties: false,
  }
  const get = (operationId: string, content: object) => ({
    get: { operationId, responses: { 200: { description: '', content } } },
  })
  const xml = { schema: pet }
  const json = { schema: pet }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Bodies', version: '1' },
    servers: [{ url: 'https://bodies.example' }],
    paths: {
      '/made': get('made', { 'application/xml': xml, 'application/json': json }),
      '/given': get('given', {
        'application/xml': { ...xml, example: '<pet/>' },
        'application/json': json,
      }),
      '/empty': get('empty', { 'application/xml': xml }),
      '/asked': get('asked', {
        'application/json': { example: { name: 'Rex' } },
        'text/csv': { schema: { type: 'string' }, example: 'name\nRex' },
      }),
      '/none': get('none', { 'application/json': { schema: { not: {} } } }),
    },
  }

  it('is of the media type that is accepted, or else of the first of which one is known', async () => {
    const sides = await generateBothSides(own, document, [msw])
    const { createMocks } = (await load(join(sides.folder, 'msw/index.ts'))) as {
      readonly createMocks: () => readonly HttpHandler[]
    }
    const mocks = setupServer(...createMocks())
    mocks.listen({ onUnhandledRequest: 'error' })
    try {
      const read = async (path: string, accept = '*/*') => {
        const response = await fetch(`https://bodies.example/${path}`, { headers: { accept } })
        return [response.headers.get('content-type'), await response.text()]
      }
      expect(await read('made')).toEqual(['application/json', '{"name":"Rex"}'])
      expect(await read('given')).toEqual(['application/xml', '<pet/>'])
      expect(await read('empty')).toEqual(['application/xml', ''])
      const json = ['application/json', '{"name":"Rex"}']
      const csv = ['text/csv;charset=UTF-8', 'name\nRex']
      expect(await read('asked')).toEqual(json)
      expect(await read('asked', 'text/csv')).toEqual(csv)
      expect(await read('asked', 'text/*, application/json;q=0.5')).toEqual(csv)
      expect(await read('asked', 'text/csv;q=0, */*;q=0.1')).toEqual(json)
      expect(await read('asked', 'image/png')).toEqual(json)
      const [, text] = await read('none')
      expect(text).toMatch(/^none: no body of the response 200 can be made\. Give an ex/)
    } finally {
      mocks.close()
    }
  })
})

const examples = dirname(
  createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'),
)
const documents = {
  'our contract': fileURLToPath(new URL('../../../../spec/openapi.yaml', import.meta.url)),
  'train travel': join(examples, '3.1/json/train-travel.json'),
  petstore: join(examples, '3.0/json/petstore.json'),
}

type Validator = {
  readonly safeParse: (value: unknown) => { readonly success: boolean; readonly error?: unknown }
}
type Bodies = Readonly<Record<string, Validator>>
type Facts = {
  readonly id: string
  readonly status: number
  readonly responses: Readonly<
    Record<string, readonly { readonly type: string; readonly example?: unknown }[]>
  >
}

describe.each(sampleCases(Object.entries(documents)))('of %s', (name, path) => {
  const own = findWorkFolder(`msw-${name.replaceAll(' ', '-')}`)
  afterAll(async () => rm(own, { recursive: true, force: true }))

  it('every JSON response is valid, and the same for the same seed', async () => {
    const sides = await generateBothSides(own, path, [msw])
    const { createMocks } = (await load(join(sides.folder, 'msw/index.ts'))) as {
      readonly createMocks: (options: object) => readonly HttpHandler[]
    }
    const { operations } = (await load(join(sides.folder, 'msw/facts.ts'))) as {
      readonly operations: readonly Facts[]
    }
    const { validators } = (await load(join(sides.folder, 'zod/operations.ts'))) as {
      readonly validators: Readonly<
        Record<string, { readonly responses: Readonly<Record<string, Bodies>> }>
      >
    }
    const baseUrl = 'https://api.example/v1'
    const responses = async (seed: number): Promise<readonly unknown[]> => {
      const mocks = setupServer(...createMocks({ baseUrl, seed }))
      mocks.listen({ onUnhandledRequest: 'error' })
      try {
        const all: unknown[] = []
        for (const { id, status, responses: declared } of operations) {
          const expected = declared[status]?.[0]
          const facts = sides.serverFacts.find((one) => one.id === id)
          const isPlain =
            facts?.parameters.every(({ in: place }) => place === 'query') === true &&
            facts.body?.required !== true
          if (!isPlain || expected === undefined || !/json/.test(expected.type)) continue
          const query = sides.arbitraries[id]?.query
          const [values = {}] =
            query === undefined ? [] : fc.sample(query.valid, { seed: 1, numRuns: 1 })
          const sent = Object.entries(values as object).flatMap(([key, value]) => {
            const items: readonly unknown[] = Array.isArray(value) ? value : [value]
            return facts.parameters.some((one) => one.name === key)
              ? items.filter((item) => typeof item !== 'object').map((item) => [key, String(item)])
              : []
          })
          const response = await fetch(
            `${baseUrl}${facts.path}?${new URLSearchParams(sent).toString()}`,
            {
              method: facts.method,
            },
          )
          expect([id, response.status]).toEqual([id, status])
          const body: unknown = await response.json()
          if (expected.example === undefined)
            expect([
              id,
              validators[id]?.responses[status]?.[expected.type]?.safeParse(body).error,
            ]).toEqual([id, undefined])
          else expect(body).toEqual(expected.example)
          all.push(body)
        }
        return all
      } finally {
        mocks.close()
      }
    }
    const first = await responses(1)
    expect(first.length).toBeGreaterThan(0)
    expect(await responses(1)).toEqual(first)
  })
})
