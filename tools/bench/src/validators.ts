// a page of 1,000 objects parsed by generated validators, beside zod that somebody wrote for the same shape
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundled, generated, written } from './lib/generated.mjs'
import { cache } from './lib/installed.mjs'

const rounds = Number(process.argv[2] ?? 400)

const text = { type: 'string' }
const schemas = {
  Flat: page({
    required: ['id', 'kind', 'amount', 'count', 'note', 'tags'],
    properties: {
      id: { type: 'string', minLength: 1, maxLength: 64 },
      kind: { type: 'string', enum: ['CHARGE', 'TOP_UP', 'BONUS', 'REFUND'] },
      amount: { type: 'number' },
      count: { type: 'integer', minimum: 0 },
      note: { type: ['string', 'null'] },
      closed: { type: 'boolean' },
      tags: { type: 'array', items: text, maxItems: 10 },
    },
  }),
  Formats: page({
    required: ['id', 'createdAt', 'day', 'url', 'email', 'address'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      createdAt: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      url: { type: 'string', format: 'uri' },
      email: { type: 'string', format: 'email' },
      address: { type: 'string', format: 'ipv4' },
    },
  }),
  Nested: page({
    required: ['id', 'owner', 'lines', 'labels'],
    properties: {
      id: { type: 'integer' },
      owner: {
        type: 'object',
        required: ['login', 'site'],
        properties: { login: { type: 'string', pattern: '^[a-z0-9]+$' }, site: { type: 'string', format: 'uri' }, bio: text },
      },
      lines: {
        type: 'array',
        items: {
          type: 'object',
          required: ['sku', 'price', 'state'],
          properties: {
            sku: { type: 'string', maxLength: 20 },
            price: { type: 'number', exclusiveMinimum: 0 },
            state: { type: 'string', enum: ['open', 'sent'] },
          },
        },
      },
      labels: { type: 'object', additionalProperties: text },
    },
  }),
}

/** @param {object} item */
function page(item) {
  return { type: 'object', required: ['data'], properties: { data: { type: 'array', items: { type: 'object', ...item } } } }
}

/**
 * The same shapes by hand. An object of a document is open: what it does not name is kept, so the like for like is `looseObject`.
 * @param {*} z Either flavour: only what is spelt alike in both is used.
 * @param {'looseObject' | 'object'} kind
 */
const byHand = (z, kind) => {
  const object = z[kind]
  const whole = () => z.number().check(z.refine(Number.isInteger))
  return {
    Flat: object({
      data: z.array(
        object({
          id: z.string().check(z.minLength(1), z.maxLength(64)),
          kind: z.enum(['CHARGE', 'TOP_UP', 'BONUS', 'REFUND']),
          amount: z.number(),
          count: z.int().check(z.gte(0)),
          note: z.nullable(z.string()),
          closed: z.optional(z.boolean()),
          tags: z.array(z.string()).check(z.maxLength(10)),
        }),
      ),
    }),
    Formats: object({
      data: z.array(
        object({
          id: z.uuid(),
          createdAt: z.iso.datetime({ offset: true }),
          day: z.iso.date(),
          url: z.url(),
          email: z.email(),
          address: z.ipv4(),
        }),
      ),
    }),
    Nested: object({
      data: z.array(
        object({
          id: whole(),
          owner: object({ login: z.string().check(z.regex(/^[a-z0-9]+$/u)), site: z.url(), bio: z.optional(z.string()) }),
          lines: z.array(
            object({ sku: z.string().check(z.maxLength(20)), price: z.number().check(z.gt(0)), state: z.enum(['open', 'sent']) }),
          ),
          labels: z.record(z.string(), z.string()),
        }),
      ),
    }),
  }
}

const many = (/** @type {(index: number) => unknown} */ one) => ({ data: Array.from({ length: 1000 }, (_, index) => one(index)) })
const pages = {
  Flat: many((index) => ({
    id: `entry-${index}`,
    kind: index % 2 === 0 ? 'CHARGE' : 'TOP_UP',
    amount: -0.01 * index,
    count: index,
    note: index % 3 === 0 ? null : 'a note',
    ...(index % 2 === 0 ? { closed: true } : {}),
    tags: ['a', 'b', 'c'],
  })),
  Formats: many((index) => ({
    id: `f81d4fae-7dec-41d0-a765-${String(index).padStart(12, '0')}`,
    createdAt: '2030-01-31T08:30:00.123Z',
    day: '2030-01-31',
    url: `https://a.example/things/${index}?page=2`,
    email: `joe${index}@mail.example`,
    address: `10.0.${index % 250}.1`,
  })),
  Nested: many((index) => ({
    id: index,
    owner: { login: `u${index}`, site: 'https://b.example/', ...(index % 2 === 0 ? { bio: 'text' } : {}) },
    lines: [
      { sku: 'A-1', price: 10.5, state: 'open' },
      { sku: 'B-2', price: 1, state: 'sent' },
    ],
    labels: { colour: 'red', size: 'XL' },
  })),
}

const document = { openapi: '3.1.0', info: { title: 'Pages', version: '1' }, paths: {}, components: { schemas } }
const spec = written('pages', document)
const lines = [
  `export * as full from ${JSON.stringify(await generated(spec, 'pages', 'full'))}`,
  `export * as mini from ${JSON.stringify(await generated(spec, 'pages', 'mini'))}`,
  "export * as zod from 'zod'",
  "export * as zodMini from 'zod/mini'",
]
const file = join(cache, 'validators.bundle.mjs')
writeFileSync(file, await bundled(lines.join('\n'), { minify: false }))
const { full, mini, zod, zodMini } = await import(pathToFileURL(file).href)

const table = {}
for (const name of /** @type {(keyof typeof pages)[]} */ (Object.keys(pages))) {
  const parsers = {
    full: full[name],
    open: byHand(zod, 'looseObject')[name],
    stripping: byHand(zod, 'object')[name],
    mini: mini[name],
    openMini: byHand(zodMini, 'looseObject')[name],
  }
  const times = measured(parsers, pages[name])
  table[name] = {
    'generated, ms': times.full.toFixed(3),
    'by hand, ms': times.open.toFixed(3),
    'rate / by hand': (times.open / times.full).toFixed(2),
    'rate / stripping by hand': (times.stripping / times.full).toFixed(2),
    'mini, ms': times.mini.toFixed(3),
    'mini: rate / by hand': (times.openMini / times.mini).toFixed(2),
  }
}
console.log(
  `1,000 objects a page, median of ${rounds} rounds that take turns, zod 4 on Node ${process.versions.node}. Target: rate / by hand >= 0.95.`,
)
console.table(table)

/**
 * The median time of one parse, each parser once a round and another one first each time.
 * @template {string} Name
 * @param {Readonly<Record<Name, { readonly parse: (value: unknown) => unknown }>>} parsers
 * @param {unknown} value
 * @returns {Record<Name, number>}
 */
function measured(parsers, value) {
  const names = /** @type {Name[]} */ (Object.keys(parsers))
  const times = Object.fromEntries(names.map((name) => [name, /** @type {number[]} */ ([])]))
  const warmUp = Math.ceil(rounds / 4)
  for (let round = -warmUp; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + warmUp) % names.length] ?? names[0]
      const start = performance.now()
      parsers[name].parse(value)
      if (round >= 0) times[name]?.push(performance.now() - start)
    }
  }
  return /** @type {Record<Name, number>} */ (Object.fromEntries(names.map((name) => [name, median(times[name] ?? [])])))
}

function median(/** @type {number[]} */ numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
}
