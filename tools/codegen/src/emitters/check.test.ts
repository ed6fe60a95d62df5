import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateClient } from '../../test/generated-client.js'
import type { CheckResult } from '../../test/run-check.js'
import { checkWith } from './check.js'
import { client } from './client.js'
import { types } from './types.js'

type Check = ((value: unknown) => CheckResult) & {
  readonly '~standard': {
    readonly version: number
    readonly vendor: string
    readonly validate: (value: unknown) => unknown
  }
}
type Module = Readonly<Record<string, Check>>

const text = { type: 'string' }
const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const document = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://x.example' }],
  paths: {},
  components: {
    schemas: {
      Cat: {
        type: 'object',
        required: ['lives'],
        properties: { kind: text, lives: { type: 'integer', minimum: 1 } },
      },
      Dog: { type: 'object', properties: { kind: text, good: { type: 'boolean' } } },
      Pet: {
        oneOf: [createRef('Cat'), createRef('Dog')],
        discriminator: { propertyName: 'kind', mapping: { cat: 'Cat', dog: 'Dog' } },
      },
      Owner: {
        type: 'object',
        required: ['name', 'pets', 'toString'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 3 },
          email: { type: 'string', format: 'email' },
          pets: { type: 'array', items: createRef('Pet'), maxItems: 2 },
          toString: text,
          near: { anyOf: [createRef('Owner'), { type: 'array', items: text }, { type: 'null' }] },
          tags: { type: 'object', additionalProperties: { type: 'string', pattern: '^a' } },
          size: { enum: ['S', 'M', { cm: 3 }] },
        },
      },
      Anything: {},
    },
  },
}

let api: Awaited<ReturnType<typeof generateClient>>
let check: Module

beforeAll(async () => {
  api = await generateClient('check', document, { emitters: [types, client, checkWith()] })
  check = (await api.load('check/index.ts')) as Module
})
afterAll(async () => api.remove())

const owner = { name: 'Ann', pets: [], toString: 'x' }

describe('compiled validators', () => {
  it.each([
    [owner],
    [{ ...owner, pets: [{ kind: 'cat', lives: 9 }, { kind: 'dog' }], size: { cm: 3 } }],
    [{ ...owner, near: { ...owner, near: ['a'] }, tags: { a: 'ab' } }],
    [{ ...owner, name: '👍👍👍' }],
  ])('accept %j, and return the value itself', (value) => {
    expect(check['isOwner']?.(value)).toBe(true)
    expect(check['checkOwner']?.(value)).toEqual({ ok: true, value })
  })

  it.each<[string, unknown, readonly (readonly [path: readonly PropertyKey[], keyword: string])[]]>(
    [
      ['no object', 7, [[[], 'type']]],
      ['nothing', undefined, [[[], 'required']]],
      [
        'missing properties',
        { name: 'A' },
        [
          [['pets'], 'required'],
          [['toString'], 'required'],
        ],
      ],
      ['a property that is undefined', { ...owner, email: undefined }, [[['email'], 'required']]],
      ['an unknown property', { ...owner, extra: 1 }, [[['extra'], 'additionalProperties']]],
      ['a length', { ...owner, name: '' }, [[['name'], 'minLength']]],
      ['a length in code points', { ...owner, name: '👍👍👍👍' }, [[['name'], 'maxLength']]],
      ['a format', { ...owner, email: 'me' }, [[['email'], 'format']]],
      ['a value', { ...owner, size: { cm: 4 } }, [[['size'], 'enum']]],
      ['a pattern in a map', { ...owner, tags: { a: 'a', b: 'b' } }, [[['tags', 'b'], 'pattern']]],
      ['an inner form', { ...owner, near: ['a', 1] }, [[['near', 1], 'type']]],
      ['a tag', { ...owner, pets: [{ kind: 'cow' }] }, [[['pets', 0, 'kind'], 'discriminator']]],
      [
        'the option of a tag, and more',
        { ...owner, pets: [{ kind: 'dog' }, { kind: 'cat', lives: 0 }, {}] },
        [
          [['pets'], 'maxItems'],
          [['pets', 1, 'lives'], 'minimum'],
          [['pets', 2, 'kind'], 'discriminator'],
        ],
      ],
    ],
  )('report where %s is wrong', (_what, value, expected) => {
    const checked = check['checkOwner']?.(value)
    const issues = checked && !checked.ok ? checked.issues : []
    expect(issues.map(({ path, keyword }) => [path, keyword])).toEqual(expected)
    expect(check['isOwner']?.(value)).toBe(false)
  })

  it('report what was found and expected, without quoting strings', () => {
    const checked = check['checkOwner']?.({ ...owner, email: 'secret', name: 7 })
    expect(checked && !checked.ok && checked.issues.map(({ message }) => message)).toEqual([
      'Expected a string, found 7',
      'Expected a string of the format email, found a string',
    ])
  })

  it('are standard schemas', () => {
    const standard = check['checkCat']?.['~standard']
    expect(standard).toMatchObject({ version: 1, vendor: 'farebox' })
    expect(standard?.validate({ lives: 9 })).toEqual({ value: { lives: 9 } })
    expect(standard?.validate({})).toMatchObject({ issues: [{ path: ['lives'] }] })
  })

  it('compile under the strictest compiler options, and narrow types', async () => {
    const program = `import { checkPet, isPet } from './out/check/index.js'
export function lives(value: unknown): number {
  if (isPet(value) && value.kind === 'cat') return value.lives
  const checked = checkPet(value)
  if (!checked.ok) return checked.issues.length
  return checked.value.kind === 'dog' ? Number(checked.value.good) : checked.value.lives
}
`
    expect(await api.compile(program)).toBe('')
  })

  it('run under a policy that forbids eval', async () => {
    const folder = new URL('../../.tmp/check/out/check/', import.meta.url)
    for (const file of ['schemas.ts', 'rules.ts', 'format-tests.ts'])
      expect(await readFile(new URL(file, folder), 'utf8')).not.toMatch(/\beval\(|new Function/)
  })
})
