export type PageName = 'Flat' | 'Formats' | 'Nested' | 'Union'

/** A page of 1,000 objects for each schema. */
export const pages: Readonly<Record<PageName, unknown>> = {
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
  Union: many((index) =>
    index % 2 === 0
      ? { kind: 'card', number: `n${index}`, last4: '1234' }
      : { kind: 'cash', amount: index, coins: [1, 2] },
  ),
}

function many(one: (index: number) => unknown): unknown {
  return { data: Array.from({ length: 1000 }, (_, index) => one(index)) }
}
