import { describe, expect, it } from 'vitest'
import { findContradictions } from './contradictions.js'
import type { EntryRow, Knowledge, LedgerRows, Purchase } from './knowledge.js'
import type { Seen } from './send.js'

const lost: Seen = { kind: 'lost' }
const saw = (requestId: string, status = 200, isWhole = true, body: object = {}): Seen => {
  return { kind: 'response', status, requestId, isWhole, body: Buffer.from(JSON.stringify(body)) }
}
const bought = (seen: readonly Seen[], rest: Partial<Purchase> = {}): Purchase => {
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
const topUp = { account: 'ada', amount: 100n, seen: [saw('t')] }

/** What is wrong with these entries, given these purchases and a top-up of 100. */
function found(
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
    ['a response that was charged', [bought([saw('a')])], [entry('a', -10n)]],
    ['a refusal without a charge', [bought([saw('a', 503)])], []],
    ['a lost response with a charge', [bought([lost])], [entry('x', -10n)]],
    ['a lost response without one', [bought([lost])], []],
    [
      'a response that broke off, charged in part',
      [bought([saw('a', 200, false)])],
      [entry('a', -4n)],
    ],
    [
      'a response that broke off and was refunded',
      [bought([saw('a', 200, false)])],
      [entry('a', -10n), entry('a', 10n, 'REFUND')],
    ],
    ['a repeat whose first response was lost', [bought([lost, saw('b')])], [entry('x', -10n)]],
    ['two responses under one key', [bought([saw('a'), saw('b')])], [entry('b', -10n)]],
  ])('%s', (_, purchases, entries) => expect(found(purchases, entries)).toEqual([]))
})

describe('a contradiction is', () => {
  it.each([
    [
      'a response without a charge',
      [bought([saw('a')])],
      [],
      'ada text a: delivered without a charge',
    ],
    [
      'a response that was charged twice',
      [bought([saw('a')])],
      [entry('a', -10n), entry('a', -10n)],
      'ada text a: 2 charges',
    ],
    [
      'another price',
      [bought([saw('a')])],
      [entry('a', -9n)],
      'ada text a: charged 9, its price is 10',
    ],
    [
      'a refusal with a charge',
      [bought([saw('a', 500)])],
      [entry('a', -10n)],
      'ada text a: charged 10, but refused with 500',
    ],
    [
      'two charges under one key',
      [bought([saw('a'), saw('b')])],
      [entry('a', -10n), entry('b', -10n)],
      'ada text : 2 charges under one Idempotency-Key',
    ],
    [
      'a delivery under a key that nothing paid for',
      [bought([saw('a'), saw('b')])],
      [],
      'ada text a: delivered without a charge, under an Idempotency-Key',
    ],
    [
      'a lost response that a repeat was delivered for, without a charge',
      [bought([lost, saw('b')])],
      [],
      'ada text: 0 charges for lost responses, expected 1 or more',
    ],
    [
      'more charges than lost responses',
      [bought([lost])],
      [entry('x', -10n), entry('y', -10n)],
      'ada text: 10,10 charged for lost responses, whose prices are 10',
    ],
    [
      'a charge that nobody asked for',
      [bought([saw('a', 503)])],
      [entry('x', -10n)],
      'ada text: 10 charged for lost responses, whose prices are none',
    ],
  ])('%s', (_, purchases, entries, fault) => expect(found(purchases, entries)).toEqual([fault]))

  it('a video that was charged and failed, or was made without a charge', () => {
    const video = bought([saw('a', 200, true, { queue_id: 'v' })], { isVideo: true })
    expect(found([video], [], { videos: new Map([['v', 'queued']]) })).toEqual([])
    expect(found([video], [entry('a', -10n)], { videos: new Map([['v', 'completed']]) })).toEqual(
      [],
    )
    expect(found([video], [], { videos: new Map([['v', 'completed']]) })).toEqual([
      'ada text a: delivered without a charge',
    ])
    expect(found([video], [entry('a', -10n)], { videos: new Map([['v', 'failed']]) })).toEqual([
      'ada text a: charged 10 for a video that failed',
    ])
  })

  it('a balance that is not the sum of its entries, or is below what is held', () => {
    const accounts = [{ account: 'ada', balance: 90n, held: 91n }]
    expect(found([], [], { accounts })).toEqual([
      'ada: the balance is 90, its entries add up to 100',
      'ada: 91 of 90 are held',
    ])
  })

  it('a payment that was credited twice, or not at all', () => {
    const fault = (total: number, count: number) => [
      `ada: ${total} credited in ${count} top-ups, expected 100 to 100`,
    ]
    expect(found([], [paid])).toEqual(fault(200, 2))
    expect(found([], [], { topUps: [topUp, { ...topUp, seen: [lost] }] })).toEqual([])
    expect(found([], [], { topUps: [topUp, { ...topUp, seen: [saw('u', 402)] }] })).toEqual([])
    expect(found([], [paid], { topUps: [topUp, { ...topUp, seen: [saw('u', 402)] }] })).toEqual(
      fault(200, 2),
    )
  })

  it('a key that spent more than its limit', () => {
    const purchases = [bought([saw('a')]), bought([saw('b')])]
    const entries = ['a', 'b'].map((id) => entry(id, -10n, 'CHARGE', { keyId: 'k' }))
    expect(found(purchases, entries, { keys: [{ id: 'k', limit: 20n }] })).toEqual([])
    expect(found(purchases, entries, { keys: [{ id: 'k', limit: 19n }] })).toEqual([
      'key k spent 20 of its limit of 19',
    ])
  })
})
