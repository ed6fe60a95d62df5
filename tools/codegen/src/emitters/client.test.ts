import { beforeAll, describe, expect, it } from 'vitest'
import { build, withOperation } from '../../test/documents.js'
import { buildSmallApi } from '../../test/small-api.js'
import { renderFile } from '../emit/code.js'
import type { Api } from '../ir/api.js'
import { client, clientWith } from './client.js'

let api: Api
const files = new Map<string, string>()

function render(): ReadonlyMap<string, string> {
  return new Map(
    client
      .emit(api)
      .map((file) => [
        file.path,
        renderFile(file, { banner: '// banner', resolve: (module) => module }),
      ]),
  )
}

/** The declaration that begins with a string, without its comment, up to the next empty line. */
function block(start: string, file = 'operations.ts'): readonly string[] {
  const text = files.get(file) ?? ''
  const from = text.indexOf(start)
  const to = text.indexOf('\n\n', from)
  return text.slice(from, to === -1 ? undefined : to).split('\n')
}

beforeAll(async () => {
  api = await buildSmallApi()
  for (const [path, text] of render()) files.set(path, text)
})

describe('the client output', () => {
  it('consists of facts, functions, operations and an index, plus the runtime files', () => {
    expect([...files.keys()]).toEqual([
      'facts.ts',
      'functions.ts',
      'operations.ts',
      'credentials.ts',
      'servers.ts',
      'index.ts',
    ])
    expect(client.runtime).toContain('client/perform.ts')
  })

  it('is the same each time', () => {
    expect([...render()]).toEqual([...files])
  })

  it('references only the runtime modules that an operation needs, so that a bundler drops the others', () => {
    const pieces = (id: string) =>
      block(`export const ${id}:`, 'facts.ts').filter((line) => /take|encode|read|put/.test(line))
    expect(pieces('sendXml')).toEqual([
      '    take: takeBody,',
      '    encode: encodeRaw,',
      "    default: [['*/*', readJson, isOfFamily]],",
    ])
    expect(pieces('getPet').slice(0, 2)).toEqual([
      "    { name: 'id', in: 'path', write: writeSegment, put: putPath, missing: rejectMissing },",
      "    { name: 'fields', in: 'query', style: 'pipeDelimited', explode: false, write: writeStyled, put: putQuery },",
    ])
  })

  it('reads no body for HEAD or a status without content, whatever is declared', async () => {
    const content = { 'application/json': { schema: {} } }
    const describeStatuses = (statuses: readonly string[]) =>
      Object.fromEntries(statuses.map((status) => [status, { description: '', content }]))
    const operation = { responses: describeStatuses(['200', '204', '205', '304']) }
    const responses = async (document: unknown): Promise<readonly string[]> => {
      const [file] = client.emit(await build(document))
      const text = renderFile(file ?? { path: '', body: [] }, { banner: '', resolve: String })
      return [...text.matchAll(/^ +'(\d+)': (\w+),$/gm)].map(
        ([, status, read]) => `${status} ${read}`,
      )
    }
    expect(await responses(withOperation(operation))).toEqual([
      '200 json',
      '204 nothing',
      '205 nothing',
      '304 nothing',
    ])
    expect(
      await responses(
        withOperation({}, '/a', {
          paths: { '/a': { head: { responses: describeStatuses(['200']) } } },
        }),
      ),
    ).toEqual(['200 nothing'])
  })

  it('has a function for each operation, which takes the client as an argument', () => {
    expect(block('export function getPet', 'functions.ts')).toEqual([
      'export function getPet(context: Context, input: operations.GetPetInput, options?: CallOptions): Promise<operations.GetPetResult> {',
      '  return perform(context, facts.getPet, input, options)',
      '}',
    ])
  })

  it('renames an import that clashes with an operation', () => {
    const operations = api.operations
      .slice(0, 2)
      .map((operation, index) => ({ ...operation, id: ['perform', 'readJson'][index] ?? '' }))
    const [factsFile, functionsFile] = client
      .emit({ ...api, operations })
      .map((file) => renderFile(file, { banner: '', resolve: (name) => name }))
    expect(factsFile).toContain('readJson as readJson2')
    expect(functionsFile).toContain('perform as perform2')
  })

  it('documents the base URL format if it is required, and its default otherwise', () => {
    const [last] = clientWith({ bare: true }).emit(api).slice(-1)
    expect([...(last?.body ?? [])].map(({ text }) => text).join('\n')).toContain(
      '   * @example https://api.example/v1\n   */\n  readonly baseUrl: string\n',
    )
    expect(files.get('index.ts')).toContain(
      'own.\n   * Default: `server`.\n   */\n  readonly baseUrl?: string\n',
    )
  })
})

describe('an input', () => {
  it('is parameters without credentials', () => {
    expect(block('export type GetPetInput')).toEqual([
      'export type GetPetInput = {',
      '  /** Its id. */',
      '  readonly id: string',
      '  /** @default ["a"] */',
      "  readonly fields?: readonly ('a' | 'b')[]",
      '}',
    ])
  })

  it('is a named body, without read-only fields', () => {
    expect(block('export type AddPetInput')).toEqual(['export type AddPetInput = types.PetRequest'])
  })

  it('is a form with file inputs written inline, and may share its name with the runtime', () => {
    expect(block('export type UploadInput')).toEqual([
      'export type UploadInput = Partial<{',
      '  readonly photo: files.FileInput',
      '  readonly more?: readonly files.FileInput[]',
      '  readonly pet?: types.PetRequest',
      '}>',
    ])
  })

  it('names nested types that contain files once, including recursive ones', async () => {
    const part = {
      type: 'array',
      items: {
        anyOf: [{ type: 'string', format: 'binary' }, { $ref: '#/components/schemas/Part' }],
      },
    }
    const schema = {
      type: 'object',
      properties: {
        one: { $ref: '#/components/schemas/Part' },
        two: { $ref: '#/components/schemas/Part' },
      },
    }
    const body = { content: { 'multipart/form-data': { schema } } }
    const rest = { components: { schemas: { Part: part } } }
    const formed = await build(
      withOperation({ operationId: 'send', requestBody: body }, '/things', rest),
    )
    const file = client.emit(formed).find(({ path }) => path === 'operations.ts') ?? {
      path: '',
      body: [],
    }
    const lines = renderFile(file, { banner: '', resolve: (name) => name }).split('\n')
    expect(lines.filter((line) => line.includes('PartForm'))).toEqual([
      '  readonly one?: PartForm',
      '  readonly two?: PartForm',
      'export type PartForm = readonly (files.FileInput | PartForm)[]',
    ])
  })

  it('is a file if only a media type describes it, also by a reference', async () => {
    const Photo = { contentMediaType: 'image/png' }
    const schema = {
      type: 'object',
      properties: {
        photo: { $ref: '#/components/schemas/Photo' },
        more: { type: 'array', items: Photo },
      },
    }
    const body = { content: { 'multipart/form-data': { schema } } }
    const formed = await build(
      withOperation({ operationId: 'send', requestBody: body }, '/things', {
        components: { schemas: { Photo } },
      }),
    )
    const file = client.emit(formed).find(({ path }) => path === 'operations.ts') ?? {
      path: '',
      body: [],
    }
    const text = renderFile(file, { banner: '', resolve: (name) => name })
    expect(text).toContain(`  readonly photo?: files.FileInput
  readonly more?: readonly (files.FileInput)[]
`)
  })

  it('is text or bytes if the client cannot encode fields', () => {
    expect(block('export type SendXmlInput')).toEqual([
      'export type SendXmlInput = {',
      '  readonly body: files.FileInput | string',
      '}',
    ])
  })
})

describe('a result', () => {
  it('has a member for each status', () => {
    expect(block('export type GetPetResult')).toEqual([
      'export type GetPetResult =',
      '  | Success<200, types.Pet>',
      '  | Failure<404, {',
      '    readonly error: string',
      '  }>',
    ])
  })

  it('has each status once: ranges and default cover the rest', () => {
    expect(block('export type AddPetResult')).toEqual([
      'export type AddPetResult =',
      '  | Success<201, types.Pet | string>',
      '  | Success<204, undefined>',
      "  | Failure<StatusRange<'4'>, unknown>",
      "  | Failure<StatusRange<'3' | '5'>, string>",
    ])
  })

  it('with only default is both success and failure', () => {
    expect(block('export type SendXmlResult')).toEqual([
      'export type SendXmlResult =',
      "  | Success<StatusRange<'2'>, types.Pet>",
      "  | Failure<StatusRange<'3' | '4' | '5'>, types.Pet>",
    ])
  })

  it('of bytes is the Response', () => {
    expect(block('export type UploadResult')[1]).toBe('  | Success<200, Response>')
  })
})

it('a method has a concrete signature, and may be called without an input if none is required', () => {
  expect(block('export type Operations')).toEqual([
    'export type Operations = {',
    '  /**',
    '   * `GET /pets/{id}`',
    '   *',
    '   * One pet',
    '   *',
    '   * By its id.',
    '   */',
    '  readonly getPet: (input: GetPetInput, options?: CallOptions) => Promise<GetPetResult>',
    '  /**',
    '   * `POST /pets`',
    '   * @deprecated',
    '   */',
    '  readonly addPet: (input: AddPetInput, options?: CallOptions) => Promise<AddPetResult>',
    '  /** `PUT /photo` */',
    '  readonly upload: (input?: UploadInput, options?: CallOptions) => Promise<UploadResult>',
    '  /** `POST /xml` */',
    '  readonly sendXml: (input: SendXmlInput, options?: CallOptions) => Promise<SendXmlResult>',
    '}',
  ])
})

it('a call with a price documents its cost, and accepts a maximum payment', async () => {
  const info = { amount: '10000', currency: 'USDC', protocols: ['x402'] }
  const built = await build(withOperation({ operationId: 'ask', 'x-payment-info': info }))
  const [facts = '', functions = '', operations = ''] = ['facts', 'functions', 'operations'].map(
    (name) => {
      const file = client.emit(built).find(({ path }) => path === `${name}.ts`)
      return file === undefined ? '' : renderFile(file, { banner: '', resolve: (module) => module })
    },
  )
  expect(facts).toContain('  maxUsd: 0.01,')
  expect(functions).toContain('Costs 0.01 USD (x402).')
  expect(operations).toContain('Costs 0.01 USD (x402).')
  expect(operations).toMatch(/readonly ask: \(.*, options\?: PaidCallOptions\)/)
})

it('an open amount of the document does not cap a payment', async () => {
  const info = { amount: null, currency: 'USDC', price: { amount: '0.01' } }
  const built = await build(withOperation({ operationId: 'ask', 'x-payment-info': info }))
  const file = client.emit(built).find(({ path }) => path === 'facts.ts')
  expect(renderFile(file ?? { path: '', body: [] }, { banner: '', resolve: String })).not.toContain(
    'maxUsd',
  )
})

describe('file fields', () => {
  const readFacts = async (schema: object, mediaType = 'multipart/form-data') => {
    const requestBody = { required: true, content: { [mediaType]: { schema } } }
    const built = await build(withOperation({ operationId: 'upload', requestBody }))
    const [facts, operations] = ['facts.ts', 'operations.ts'].map((path) => {
      const file = client.emit(built).find((one) => one.path === path)
      return file === undefined ? '' : renderFile(file, { banner: '', resolve: (module) => module })
    })
    const files = facts?.match(/^ *(?:files|alsoValues): .*$/gm)?.map((line) => line.trim())
    return { files, operations }
  }
  const file = { type: 'string', format: 'binary' }

  it('are distinguished from those that also accept other values', async () => {
    const properties = {
      one: file,
      several: { type: 'array', items: file },
      orNone: { anyOf: [file, { type: 'null' }] },
      orAddress: { anyOf: [file, { type: 'string', format: 'uri' }] },
      listOfBoth: { type: 'array', items: { oneOf: [file, { type: 'string' }] } },
      note: { type: 'string' },
    }
    expect((await readFacts({ type: 'object', properties })).files).toEqual([
      "files: ['one', 'several', 'orNone', 'orAddress', 'listOfBoth'],",
      "alsoValues: ['orAddress', 'listOfBoth'],",
    ])
  })

  it('also accept other values if another variant of the body does', async () => {
    const forms = [file, { type: 'string' }].map((image) => ({
      type: 'object',
      properties: { image },
      required: ['image'],
    }))
    expect((await readFacts({ oneOf: forms })).files).toEqual([
      "files: ['image'],",
      "alsoValues: ['image'],",
    ])
  })

  it('are the whole body if it is bytes, not text', async () => {
    const { files, operations } = await readFacts({}, 'application/pdf')
    expect(files).toEqual(["files: ['body'],"])
    expect(operations).toContain('readonly body: files.FileInput\n')
  })
})
