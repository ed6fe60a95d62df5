import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { build } from '../../test/documents.js'
import { runZod } from '../../test/run-zod.js'
import { loadDocument } from '../document/load.js'
import { mediaKind } from '../document/media.js'
import { buildApi } from '../ir/build.js'
import { validateExamples } from './validate-examples.js'

const ref = { $ref: '#/components/schemas/Pet' }

/** What is said of a document whose one operation takes and gives a pet. */
async function diagnose(
  schemas: object,
  media: object = {},
  schema: object = ref,
): Promise<readonly string[]> {
  const content = { 'application/json': { schema, ...media } }
  const operation = {
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 200: { description: 'Done.', content } },
  }
  const info = { title: 'Pets', version: '1' }
  const api = await build({
    openapi: '3.1.0',
    info,
    paths: { '/pets': { post: operation } },
    components: { schemas: { Pet: true, ...schemas } },
  })
  return validateExamples(api).map(
    ({ code, place, found, expected }) => `${code} ${place.pointer}: ${found}, not ${expected}`,
  )
}

const media = '/paths/~1pets/post/responses/200/content/application~1json'

describe('an example', () => {
  it('that is valid is not reported, wherever it is', async () => {
    const Pet = {
      type: 'object',
      example: { id: 1 },
      properties: { id: { type: 'integer', examples: [1, 2], default: 3 } },
    }
    expect(await diagnose({ Pet }, { example: { id: 1 } })).toEqual([])
    expect(await diagnose({ Pet }, { examples: { one: { value: { id: 1 } } } })).toEqual([])
  })

  it('of a response is reported with its location, error and expected value', async () => {
    const Pet = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 3 },
        owner: { $ref: '#/components/schemas/Owner' },
      },
    }
    const Owner = { type: 'object', properties: { mail: { type: 'string', format: 'email' } } }
    expect(
      await diagnose({ Pet, Owner }, { example: { name: 'Rex', owner: { mail: 'nowhere' } } }),
    ).toEqual([
      `FB3010 ${media}/example: "nowhere" at /owner/mail, not a string, of the format email`,
    ])
    expect(await diagnose({ Pet, Owner }, { examples: { 'a/b': { value: {} } } })).toEqual([
      `FB3010 ${media}/examples/a~1b/value: {}, not the property "name"`,
    ])
    expect(await diagnose({ Pet, Owner }, { example: { name: 'Hector' } })).toEqual([
      `FB3010 ${media}/example: "Hector" at /name, not a string, of at most 3 characters`,
    ])
  })

  it('of a schema is reported, and a default with another code', async () => {
    expect(
      await diagnose({
        Pet: { properties: { id: { type: 'integer', example: 'a', default: 0.5, minimum: 1 } } },
      }),
    ).toEqual([
      'FB3010 /components/schemas/Pet/properties/id/example: "a", not an integer, at least 1',
      'FB3011 /components/schemas/Pet/properties/id/default: 0.5, not an integer, at least 1',
    ])
    expect(await diagnose({ Pet: { examples: [1, 'a'], type: 'integer' } })).toEqual([
      'FB3010 /components/schemas/Pet/examples/1: "a", not an integer',
    ])
  })

  it('that takes a pattern too long is reported, and does not block later ones', async () => {
    const slow = '^([a-z]+)*$'
    const text = `${'a'.repeat(50)}!`
    const Pet = {
      properties: {
        id: { type: 'integer', example: 'a' },
        name: { type: 'string', pattern: slow, example: text, default: text },
      },
    }
    expect(await diagnose({ Pet })).toEqual([
      'FB3010 /components/schemas/Pet/properties/id/example: "a", not an integer',
      `FB3012 /components/schemas/Pet/properties/name/example: "${slow}", not a pattern that is done with this text in 1000 ms`,
    ])
    expect(
      await diagnose({ Pet: { patternProperties: { [slow]: true }, example: { [text]: 1 } } }),
    ).toEqual([
      `FB3012 /components/schemas/Pet/example: "${slow}", not a pattern that is done with this text in 1000 ms`,
    ])
  })

  it('of a schema with two variants is valid if it matches one', async () => {
    const properties = {
      id: { type: 'integer', readOnly: true },
      secret: { type: 'string', writeOnly: true },
      name: { type: 'string' },
    }
    const Pet = {
      type: 'object',
      required: ['id', 'secret'],
      properties,
      example: { id: 1, secret: 'a' },
    }
    expect(await diagnose({ Pet })).toEqual([])
    expect(await diagnose({ Pet: { ...Pet, example: { id: 'a', secret: 'a' } } })).toEqual([
      'FB3010 /components/schemas/Pet/example: "a" at /id, not an integer',
    ])
  })

  it.each([
    ['a value of no kind', { enum: ['a', 'b'] }, 1, '1, not one of "a", "b"'],
    [
      'a property too many',
      { additionalProperties: false, properties: { a: {} } },
      { b: 1 },
      '{"b":1}, not no property "b"',
    ],
    ['an element', { items: { type: 'string' } }, ['a', 1], '1 at /1, not a string'],
    [
      'two options at once',
      { oneOf: [{ type: 'integer' }, { minimum: 1 }] },
      2,
      '2, not exactly one of 2 options, not 2',
    ],
    [
      'the one option that is meant',
      { anyOf: [{ type: 'null' }, { properties: { a: { type: 'null' } }, type: 'object' }] },
      { a: 1 },
      '1 at /a, not null',
    ],
    [
      'a part',
      { allOf: [{ type: 'object' }, { properties: { a: { multipleOf: 0.1 } } }] },
      { a: 0.35 },
      '0.35 at /a, not a number, a multiple of 0.1',
    ],
    ['what is not to be', { not: { const: 1 } }, 1, '1, not something else'],
    [
      'what nobody names',
      { properties: { a: {} }, unevaluatedProperties: false },
      { b: 1 },
      '{"b":1}, not no property "b"',
    ],
  ])('names %s', async (_, Pet, example, expected) => {
    expect(await diagnose({ Pet }, { example })).toEqual([`FB3010 ${media}/example: ${expected}`])
  })
})

const examples = dirname(
  createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'),
)

describe('the examples of third-party documents', async () => {
  const folders = ['3.0', '3.1'].map((version) => join(examples, version, 'json'))
  const paths = (
    await Promise.all(
      folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
    )
  ).flat()

  it.each(paths.filter((path) => path.endsWith('.json')))(
    'of %s pass the validators, or are reported',
    async (path) => {
      const { document } = await loadDocument(path, { cwd: examples })
      const api = document && buildApi(document).api
      if (api === undefined) throw new Error(path)
      const messages = new Set(validateExamples(api).map(({ place }) => place.pointer))
      const { operations } = runZod(api)
      for (const { id, body, responses } of api.operations) {
        const sets = [
          ...(body?.contents ?? []).map((content) => [content, operations[id]?.body] as const),
          ...responses.flatMap(({ status, contents }) =>
            contents.map((content) => [content, operations[id]?.responses[status]] as const),
          ),
        ]
        for (const [{ mediaType, examples: given }, validators] of sets) {
          if (mediaKind(mediaType) !== 'json') continue
          for (const { value, origin } of given)
            expect([id, origin.pointer, validators?.[mediaType]?.safeParse(value).success]).toEqual(
              [id, origin.pointer, !messages.has(origin.pointer)],
            )
        }
      }
    },
  )
})
