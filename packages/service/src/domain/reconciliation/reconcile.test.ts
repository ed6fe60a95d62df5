import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import { scriptChain, type ScriptedChain } from '../../../test/scripted-chain.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { createLedger, type Ledger } from '../ledger/ledger.js'
import { openChains } from './chains.js'
import { reconcileWithChains, reconcileWithList } from './reconcile.js'
import { readSettlements } from './settlements.js'

const [base, solana] = ['eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp']
const [usdc, mint] = [
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
]
const payees = {
  payTo: `0x${'11'.repeat(20)}`,
  payToSolana: '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj',
}
const payer = `0x${'aB'.repeat(20)}`
const hour = 3_600_000

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let ledger: Ledger
  let close: () => Promise<void>
  let chain: ScriptedChain
  let serial = 0
  let now = Date.parse('2026-01-02T03:04:05Z')
  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    ledger = createLedger(database, { now: () => now, id: () => String(++serial).padStart(8, '0') })
  })
  afterAll(() => close())
  // each test has a period of its own
  beforeEach(() => {
    now += 24 * hour
    chain = scriptChain()
  })

  const period = () => ({ from: now - hour, to: now + hour })
  const credit = (id: string, transaction: string, more: object = {}) =>
    ledger.creditPayment({
      id,
      network: base,
      asset: usdc,
      payer,
      nonce: id,
      amount: 5_000_000n,
      settledBy: 'facilitator',
      transaction,
      ...more,
    })
  const moved = (more: object = {}) => ({
    asset: usdc,
    from: payer,
    to: payees.payTo,
    amount: 5_000_000n,
    ...more,
  })
  const withChains = (
    nodes: Readonly<Record<string, string>> = { [base]: 'http://base', [solana]: 'http://solana' },
  ) => reconcileWithChains(database, period(), openChains(nodes, payees, chain.fetch))

  it('finds no difference where each payment moved what was credited', async () => {
    await credit('pay_a1', '0xA1')
    await credit('pay_a2', '0xa2', { payer: `0x${'AB'.repeat(20)}`, nonce: 'other' })
    await credit('pay_a3', '0xa2', { amount: 7_000_000n })
    await credit('pay_a4', 'sol1', { network: solana, asset: mint, payer: 'payerOnSolana' })
    await credit('pay_local', '', { settledBy: 'local' })
    chain.evm('0xa1', [
      moved({ asset: usdc.toLowerCase() }),
      moved({ to: `0x${'22'.repeat(20)}` }),
      moved({ asset: `0x${'33'.repeat(20)}` }),
    ])
    chain.evm('0xa2', [moved({ amount: 7_000_000n }), moved()])
    chain.solana('sol1', {
      asset: mint,
      from: 'payerOnSolana',
      to: payees.payToSolana,
      amount: 5_000_000n,
    })
    expect(await withChains()).toEqual({ payments: 4, unchecked: 0, differences: [], troubles: [] })
  })

  it('reports missing, different and uncredited payments', async () => {
    await credit('pay_b1', '0xb1')
    await credit('pay_b2', '0xb2')
    await credit('pay_b3', '0xb3')
    await credit('pay_b4', '0xb4')
    await credit('pay_b5', 'sol2', { network: solana, asset: mint, payer: 'payerOnSolana' })
    await credit('pay_b6', 'sol3', { network: solana, asset: mint, payer: 'payerOnSolana' })
    await credit('pay_b7', '')
    chain.evm('0xb2', [moved()], '0x0')
    chain.evm('0xb3', [moved({ amount: 4_000_000n })])
    chain.evm('0xb4', [moved(), moved({ from: `0x${'44'.repeat(20)}`, amount: 9_000_000n })])
    chain.solana(
      'sol2',
      { asset: mint, from: 'payerOnSolana', to: payees.payToSolana, amount: 5_000_000n },
      true,
    )
    chain.solana('sol3', { asset: mint, from: 'payerOnSolana', to: 'somebody', amount: 5_000_000n })
    const { differences } = await withChains()
    expect(
      differences
        .map(({ kind, transaction, payment = '-' }) => `${kind} ${transaction} ${payment}`)
        .toSorted(),
    ).toEqual([
      'different 0xb3 pay_b3',
      'extra 0xb4 -',
      'missing  pay_b7',
      'missing 0xb1 pay_b1',
      'missing 0xb2 pay_b2',
      'missing sol2 pay_b5',
      'missing sol3 pay_b6',
    ])
    expect(differences.find(({ kind }) => kind === 'different')?.detail).toBe(
      `5 USD of ${payer} is credited, and 4 USD of ${payer.toLowerCase()} was moved`,
    )
  })

  it('counts what it could not compare, and never treats a missing response as a difference', async () => {
    await credit('pay_c1', '0xc1')
    await credit('pay_c2', 'sol4', { network: solana, asset: mint, payer: 'payerOnSolana' })
    chain.goAway(true)
    const { unchecked, differences, troubles } = await withChains({ [base]: 'http://key@base' })
    expect([unchecked, differences, troubles]).toEqual([
      2,
      [],
      [`${base}: eth_getTransactionReceipt: -32005`],
    ])
  })

  it("compares with a facilitator's list, as CSV and as JSON", async () => {
    await credit('pay_d1', '0xd1')
    await credit('pay_d2', '0xd2')
    await credit('pay_d3', '0xd3')
    now += 24 * hour
    await credit('pay_later', '0xd5')
    const day = { from: now - 25 * hour, to: now - 23 * hour }
    const rows = [
      ['0xD1', payer, '5'],
      ['0xd2', payer, '4.5'],
      ['0xd4', payer.toUpperCase().replace('0X', '0x'), '5.00'],
      // credited on another day
      ['0xd5', payer, '5'],
    ]
    const csv = [
      'Payer,"Transaction",note,Amount',
      ...rows.map(([transaction, from, usd]) => `${from},${transaction},"a, ""b""",${usd}`),
      '',
    ].join('\r\n')
    const json = JSON.stringify(
      rows.map(([transaction, from, amount]) => ({ transaction, payer: from, amount })),
    )
    // spreadsheets and shells of Windows write a byte order mark
    for (const text of [csv, json, `\uFEFF${csv}`, `\uFEFF${json}`]) {
      const { payments, differences } = await reconcileWithList(
        database,
        day,
        readSettlements(text),
      )
      expect([
        payments,
        ...differences.map(({ kind, transaction }) => `${kind} ${transaction}`).toSorted(),
      ]).toEqual([3, 'different 0xd2', 'extra 0xd4', 'missing 0xd3'])
    }
  })
})

it.each([
  ['transaction,payer\n0x1,0x2', 'names no column "amount"'],
  ['transaction,payer,amount\n0x1,0x2,5e3', 'row 2: amount'],
  ['transaction,payer,amount\n0x1,0x2,5\n0x1,0x2,5.1234567', 'row 3: amount'],
  ['[{"transaction":"0x1","amount":5}]', 'item 1: payer'],
  ['[1]', 'not a JSON array of objects'],
])('rejects %j with the location', (text, message) => {
  expect(() => readSettlements(text)).toThrow(message)
})
