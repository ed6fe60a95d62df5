import { describe, expect, it } from 'vitest'
import { findContradictions } from './contradictions.js'
import type { EntryRow, Knowledge, LedgerRows, Purchase } from './knowledge.js'
import type { RequestOutcome } from './send.js'

const lost: RequestOutcome = { kind: 'lost' }
const createSeen = (
  requestId: string,
  status = 200,
  isWhole = true,
  body: object = {},
): RequestOutcome => {
  return { kind: 'response', status, requestId, isWhole, body: Buffer.from(JSON.stringify(body)) }
}
const createPurchase = (
  seen: readonly RequestOutcome[],
  rest: Partial<Purchase> = {},
): Purchase => {
  return {
    account: 'ada',
    model: 'text',
    price: 10n,
    hasKey: seen.length > 1,
    seen,
    ...rest,
  }
}
const entry = (
  requestId: string | null,
  amount: bigint,
  type = 'CHARGE',
  rest: Partial<EntryRow> = {},
): EntryRow => {
  return { account: 'ada', type, amount, requestId, model: 'text', keyId: null, ...rest }
}
const paid = entry(null, 100n, 'TOP_UP')
const topUp = { account: 'ada', amount: 100n, seen: [createSeen('t')] }

/** What is wrong with these entries, given these purchases and a top-up of 100. */
function listContradictions(
  purchases: readonly Purchase[],
  entries: readonly EntryRow[],
  rest: Partial<LedgerRows & Knowledge> = {},
): readonly string[] {
  const all = [paid, ...entries]
  const balance = all.reduce((sum, { amount }) => sum + amount, 0n)
  const {
    topUps = [topUp],
    keys = [],
    accounts = [{ account: 'ada', balance, held: 0n }],
    videos = new Map<string, string>(),
  } = rest
  return findContradictions({ purchases, topUps, keys }, { accounts, entries: all, videos })
}

describe('a ledger agrees with', () => {
  it.each([
    ['a response that was charged', [createPurchase([createSeen('a')])], [entry('a', -10n)]],
    ['a rejection without a charge', [createPurchase([createSeen('a', 503)])], []],
    ['a lost response with a charge', [createPurchase([lost])], [entry('x', -10n)]],
    ['a lost response without one', [createPurchase([lost])], []],
    [
      'a response that broke off, charged in part',
      [createPurchase([createSeen('a', 200, false)])],
      [entry('a', -4n)],
    ],
    [
      'a response that broke off and was refunded',
      [createPurchase([createSeen('a', 200, false)])],
      [entry('a', -10n), entry('a', 10n, 'REFUND')],
    ],
    [
      'a repeat whose first response was lost',
      [createPurchase([lost, createSeen('b')])],
      [entry('x', -10n)],
    ],
    [
      'two responses under one key',
      [createPurchase([createSeen('a'), createSeen('b')])],
      [entry('b', -10n)],
    ],
  ])('%s', (_, purchases, entries) => expect(listContradictions(purchases, entries)).toEqual([]))
})

describe('a contradiction is', () => {
  it.each([
    [
      'a response without a charge',
      [createPurchase([createSeen('a')])],
      [],
      'ada text a: delivered without a charge',
    ],
    [
      'a response that was charged twice',
      [createPurchase([createSeen('a')])],
      [entry('a', -10n), entry('a', -10n)],
      'ada text a: 2 charges',
    ],
    [
      'another price',
      [createPurchase([createSeen('a')])],
      [entry('a', -9n)],
      'ada text a: charged 9, its price is 10',
    ],
    [
      'a rejection with a charge',
      [createPurchase([createSeen('a', 500)])],
      [entry('a', -10n)],
      'ada text a: charged 10, but rejected with 500',
    ],
    [
      'two charges under one key',
      [createPurchase([createSeen('a'), createSeen('b')])],
      [entry('a', -10n), entry('b', -10n)],
      'ada text : 2 charges under one Idempotency-Key',
    ],
    [
      'a delivery under a key that nothing paid for',
      [createPurchase([createSeen('a'), createSeen('b')])],
      [],
      'ada text a: delivered without a charge, under an Idempotency-Key',
    ],
    [
      'a lost response that a repeat was delivered for, without a charge',
      [createPurchase([lost, createSeen('b')])],
      [],
      'ada text: 0 charges for lost responses, expected 1 or more',
    ],
    [
      'more charges than lost responses',
      [createPurchase([lost])],
      [entry('x', -10n), entry('y', -10n)],
      'ada text: 10,10 charged for lost responses, whose prices are 10',
    ],
    [
      'a charge that nobody asked for',
      [createPurchase([createSeen('a', 503)])],
      [entry('x', -10n)],
      'ada text: 10 charged for lost responses, whose prices are none',
    ],
  ])('%s', (_, purchases, entries, fault) =>
    expect(listContradictions(purchases, entries)).toEqual([fault]),
  )

  it('a video that was charged and failed, or was made without a charge', () => {
    const video = createPurchase([createSeen('a', 200, true, { queue_id: 'v' })], { isVideo: true })
    expect(listContradictions([video], [], { videos: new Map([['v', 'queued']]) })).toEqual([])
    expect(
      listContradictions([video], [entry('a', -10n)], { videos: new Map([['v', 'completed']]) }),
    ).toEqual([])
    expect(listContradictions([video], [], { videos: new Map([['v', 'completed']]) })).toEqual([
      'ada text a: delivered without a charge',
    ])
    expect(
      listContradictions([video], [entry('a', -10n)], { videos: new Map([['v', 'failed']]) }),
    ).toEqual(['ada text a: charged 10 for a video that failed'])
  })

  it('a balance that is not the sum of its entries, or is below what is held', () => {
    const accounts = [{ account: 'ada', balance: 90n, held: 91n }]
    expect(listContradictions([], [], { accounts })).toEqual([
      'ada: the balance is 90, its entries add up to 100',
      'ada: 91 of 90 are held',
    ])
  })

  it('a payment that was credited twice, or not at all', () => {
    const fault = (total: number, count: number) => [
      `ada: ${total} credited in ${count} top-ups, expected 100 to 100`,
    ]
    expect(listContradictions([], [paid])).toEqual(fault(200, 2))
    expect(listContradictions([], [], { topUps: [topUp, { ...topUp, seen: [lost] }] })).toEqual([])
    expect(
      listContradictions([], [], { topUps: [topUp, { ...topUp, seen: [createSeen('u', 402)] }] }),
    ).toEqual([])
    expect(
      listContradictions([], [paid], {
        topUps: [topUp, { ...topUp, seen: [createSeen('u', 402)] }],
      }),
    ).toEqual(fault(200, 2))
  })

  it('a key that spent more than its limit', () => {
    const purchases = [createPurchase([createSeen('a')]), createPurchase([createSeen('b')])]
    const entries = ['a', 'b'].map((id) => entry(id, -10n, 'CHARGE', { keyId: 'k' }))
    expect(listContradictions(purchases, entries, { keys: [{ id: 'k', limit: 20n }] })).toEqual([])
    expect(listContradictions(purchases, entries, { keys: [{ id: 'k', limit: 19n }] })).toEqual([
      'key k spent 20 of its limit of 19',
    ])
  })
})
