const text = { type: 'string' }

/** Four schemas: flat objects, formats, nested objects, and a choice by a tag. */
export const schemas: Readonly<Record<PageName, object>> = {
  Flat: createPage({
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
  Formats: createPage({
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
  Nested: createPage({
    required: ['id', 'owner', 'lines', 'labels'],
    properties: {
      id: { type: 'integer' },
      owner: {
        type: 'object',
        required: ['login', 'site'],
        properties: {
          login: { type: 'string', pattern: '^[a-z0-9]+$' },
          site: { type: 'string', format: 'uri' },
          bio: text,
        },
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
  Union: createPage({
    oneOf: [
      {
        type: 'object',
        required: ['kind', 'number', 'last4'],
        properties: { kind: { const: 'card' }, number: text, last4: text },
      },
      {
        type: 'object',
        required: ['kind', 'amount', 'coins'],
        properties: {
          kind: { const: 'cash' },
          amount: { type: 'number' },
          coins: { type: 'array', items: { type: 'integer' } },
        },
      },
    ],
    discriminator: { propertyName: 'kind' },
  }),
}

/** A page of such objects. */
function createPage(item: object): object {
  return {
    type: 'object',
    required: ['data'],
    properties: { data: { type: 'array', items: { type: 'object', ...item } } },
  }
}

export type PageName = 'Flat' | 'Formats' | 'Nested' | 'Union'

/** A page of 1,000 objects for each schema. */
export const pages: Readonly<Record<PageName, unknown>> = {
  Flat: createMany((index) => ({
    id: `entry-${index}`,
    kind: index % 2 === 0 ? 'CHARGE' : 'TOP_UP',
    amount: -0.01 * index,
    count: index,
    note: index % 3 === 0 ? null : 'a note',
    ...(index % 2 === 0 ? { closed: true } : {}),
    tags: ['a', 'b', 'c'],
  })),
  Formats: createMany((index) => ({
    id: `f81d4fae-7dec-41d0-a765-${String(index).padStart(12, '0')}`,
    createdAt: '2030-01-31T08:30:00.123Z',
    day: '2030-01-31',
    url: `https://a.example/things/${index}?page=2`,
    email: `joe${index}@mail.example`,
    address: `10.0.${index % 250}.1`,
  })),
  Nested: createMany((index) => ({
    id: index,
    owner: {
      login: `u${index}`,
      site: 'https://b.example/',
      ...(index % 2 === 0 ? { bio: 'text' } : {}),
    },
    lines: [
      { sku: 'A-1', price: 10.5, state: 'open' },
      { sku: 'B-2', price: 1, state: 'sent' },
    ],
    labels: { colour: 'red', size: 'XL' },
  })),
  Union: createMany((index) =>
    index % 2 === 0
      ? { kind: 'card', number: `n${index}`, last4: '1234' }
      : { kind: 'cash', amount: index, coins: [1, 2] },
  ),
}

function createMany(one: (index: number) => unknown): unknown {
  return { data: Array.from({ length: 1000 }, (_, index) => one(index)) }
}
