import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Harness } from '../../../test/harness.js'
import { parse } from '../../../test/inline-payment.js'
import type { OperatorChange } from './operator-api.js'

const operatorKey = 'operator-key-of-the-test'
const changes: OperatorChange[] = []
let farebox: Harness
beforeAll(async () => {
  farebox = await startService({
    operatorKey,
    operatorChanges: true,
    onOperatorChange: (change) => changes.push(change),
  })
})
afterAll(() => farebox.service.close())

type Json = Record<string, unknown>

async function callOperator(path: string, body?: Json) {
  const response = await farebox.service.operator(
    new Request(`http://127.0.0.1:4021/operator/v1${path}`, {
      headers: { authorization: `Bearer ${operatorKey}` },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, json: (await response.json()) as Json }
}
const to = (account: string, action: string) => `/accounts/${encodeURIComponent(account)}/${action}`

/** A wallet that has paid a cent for a request. */
async function createChargedWallet() {
  const wallet = await farebox.richWallet()
  const { headers, status } = await parse(farebox, await farebox.signIn(wallet))
  expect(status).toBe(200)
  const { entries } = await farebox.ledger.entries(wallet.address, { limit: 1, offset: 0 })
  return { wallet, charge: entries[0]?.id ?? '', requestId: headers.get('x-request-id') ?? '' }
}

async function listTransactions(wallet: { readonly address: string }) {
  const { json } = await farebox.call(
    'listTransactions',
    `/x402/transactions/${wallet.address}?limit=10`,
    { headers: await farebox.signIn(wallet as Parameters<Harness['signIn']>[0]) },
  )
  const { transactions } = json['data'] as { transactions: Json[] }
  return transactions.map(({ type, amount, balanceAfter, requestId, modelId }) => {
    return [type, amount, balanceAfter, requestId !== null, modelId !== null]
  })
}

describe('a refund', () => {
  it('returns a part and then the rest, never more, and its caller sees each', async () => {
    const { wallet, charge } = await createChargedWallet()
    const refund = (body: Json) => callOperator(`/entries/${charge}/refund`, body)
    expect(await refund({ amount: 0.004, reason: 'a cut', key: `a ${charge}` })).toMatchObject({
      status: 200,
      json: {
        account: wallet.address,
        repeated: false,
        entry: {
          type: 'REFUND',
          amount: 0.004,
          refunds: charge,
          actor: 'operator',
          reason: 'a cut',
          balanceAfter: 4.994,
        },
      },
    })
    expect(await refund({ amount: 0.004, reason: 'a cut', key: `a ${charge}` })).toMatchObject({
      status: 200,
      json: { repeated: true, entry: { balanceAfter: 4.994 } },
    })
    expect(await refund({ amount: 0.003, reason: 'a cut', key: `a ${charge}` })).toMatchObject({
      status: 409,
      json: { code: 'KEY_USED' },
    })
    expect(await refund({ amount: 0.006_001, reason: 'too much' })).toMatchObject({
      status: 400,
      json: {
        error: `amount: This is too much: of the charge ${charge}, 0.006000 USD are left to refund.`,
      },
    })
    expect(await refund({ reason: 'all of it', actor: 'Ada' })).toMatchObject({
      status: 200,
      json: { entry: { amount: 0.006, actor: 'Ada', balanceAfter: 5 } },
    })
    expect(await refund({ reason: 'once more' })).toMatchObject({ status: 400 })
    expect(await listTransactions(wallet)).toEqual([
      ['REFUND', 0.006, 5, true, true],
      ['REFUND', 0.004, 4.994, true, true],
      ['CHARGE', -0.01, 4.99, true, true],
      ['TOP_UP', 5, 5, false, false],
    ])
    expect(changes.at(-1)).toMatchObject({
      operation: 'refundCharge',
      account: wallet.address,
      entryId: expect.stringMatching(/^led_/) as string,
    })
    expect(await farebox.ledger.audit()).toEqual([])
  })

  it('keeps the Idempotency-Key, whose response is replayed without a charge', async () => {
    const wallet = await farebox.richWallet()
    const ask = async () =>
      parse(farebox, { ...(await farebox.signIn(wallet)), 'idempotency-key': 'once' })
    const first = await ask()
    const { entries } = await farebox.ledger.entries(wallet.address, { limit: 1, offset: 0 })
    const refund = { reason: 'it was noise' }
    expect((await callOperator(`/entries/${entries[0]?.id ?? ''}/refund`, refund)).status).toBe(200)
    expect((await ask()).text).toBe(first.text)
    expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
  })

  it('applies only to charges, and requires a reason', async () => {
    const { wallet } = await createChargedWallet()
    const { entries } = await farebox.ledger.entries(wallet.address, { limit: 1, offset: 1 })
    expect(await callOperator('/entries/led_none/refund', { reason: 'x' })).toMatchObject({
      status: 404,
    })
    expect(
      await callOperator(`/entries/${entries[0]?.id ?? ''}/refund`, { reason: 'x' }),
    ).toMatchObject({ status: 404 })
    for (const body of [{}, { reason: ' ' }, { reason: 'two\nlines' }, { reason: 'x', amount: 0 }])
      expect((await callOperator('/entries/led_none/refund', body)).status).toBe(400)
  })
})

describe('a credit and a debit', () => {
  it('are entries with an actor and a reason, and a debit does not take held credit', async () => {
    const credit = { amount: 2.5, reason: 'goodwill', actor: 'Ada', key: 'credit-1' }
    expect(await callOperator(to('key:night', 'credit'), credit)).toMatchObject({
      status: 200,
      json: { repeated: false, entry: { type: 'GRANT', amount: 2.5, balanceAfter: 2.5 } },
    })
    expect(await callOperator(to('key:night', 'credit'), credit)).toMatchObject({
      json: { repeated: true },
    })
    const purchase = { account: 'key:night', amount: 1_000_000n, requestId: 'r', modelId: null }
    await farebox.ledger.hold(purchase, 60_000)
    const debit = (amount: number) =>
      callOperator(to('key:night', 'debit'), { amount, reason: 'a chargeback' })
    expect(await debit(1.500_001)).toMatchObject({
      status: 400,
      json: {
        error:
          'amount: This is too much: the account can spend 1.500000 USD, and held credit cannot be taken.',
      },
    })
    expect(await debit(1.5)).toMatchObject({
      status: 200,
      json: { entry: { type: 'DEBIT', amount: -1.5, balanceAfter: 1, reason: 'a chargeback' } },
    })
    const { json } = await callOperator(to('key:night', 'entries'))
    expect(json['entries']).toMatchObject([
      { type: 'DEBIT', actor: 'operator', reason: 'a chargeback' },
      { type: 'GRANT', actor: 'Ada', reason: 'goodwill' },
    ])
    const { json: money } = await callOperator('/money?days=1')
    expect(money['flow']).toContainEqual(expect.objectContaining({ type: 'DEBIT', usd: -1.5 }))
    expect(await farebox.ledger.audit()).toEqual([])
  })

  it('apply only to a wallet that has paid before, not to a mistyped one', async () => {
    const wallet = await farebox.richWallet()
    const move = { amount: 1, reason: 'x' }
    expect((await callOperator(to(wallet.address, 'credit'), move)).status).toBe(200)
    expect((await callOperator(to(`${wallet.address}0`, 'credit'), move)).status).toBe(404)
    expect((await callOperator(to('key:nobody-here', 'debit'), move)).status).toBe(404)
    for (const amount of [0, -1, 1e9, 1.000_000_1])
      expect((await callOperator(to(wallet.address, 'credit'), { ...move, amount })).status).toBe(
        400,
      )
  })
})

it('a credit opens no account with an invalid name', async () => {
  for (const account of ['key:a\nb', 'key:\u001b[31m', 'key: ', `key:${'a'.repeat(101)}`])
    expect((await callOperator(to(account, 'credit'), { amount: 1, reason: 'x' })).status).toBe(404)
})

describe('a frozen account', () => {
  it('buys nothing but shows its balance until it is unfrozen', async () => {
    const { wallet, requestId } = await createChargedWallet()
    expect(
      await callOperator(to(wallet.address, 'freeze'), { reason: 'a stolen card', actor: 'Ada' }),
    ).toMatchObject({
      status: 200,
      json: { frozen: { by: 'Ada', reason: 'a stolen card' }, spendable: 4.99 },
    })
    for (let attempt = 0; attempt < 25; attempt++) {
      expect(await parse(farebox, await farebox.signIn(wallet))).toMatchObject({
        status: 403,
        json: { code: 'ACCOUNT_FROZEN' },
      })
    }
    const balance = await farebox.call('getBalance', `/x402/balance/${wallet.address}`, {
      headers: await farebox.signIn(wallet),
    })
    expect(balance).toMatchObject({ status: 200, json: { data: { balanceUsd: 4.99 } } })
    const { json } = await callOperator(`/find?q=${requestId}`)
    expect(json['found']).toMatchObject([{ by: 'request', account: { account: wallet.address } }])
    // an earlier reason stays
    await callOperator(to(wallet.address, 'freeze'), { reason: 'another' })
    expect((await callOperator(to(wallet.address, '').slice(0, -1))).json).toMatchObject({
      frozen: { reason: 'a stolen card' },
    })
    expect((await callOperator(to(wallet.address, 'unfreeze'), {})).json).not.toHaveProperty(
      'frozen',
    )
    expect((await parse(farebox, await farebox.signIn(wallet))).status).toBe(200)
  })

  it('does not pay for a request, but accepts a top-up', async () => {
    const wallet = await farebox.richWallet()
    await callOperator(to(wallet.address, 'freeze'), { reason: 'x' })
    const payment = { 'payment-signature': await farebox.pay(wallet) }
    expect(await parse(farebox, payment)).toMatchObject({
      status: 403,
      json: { code: 'ACCOUNT_FROZEN' },
    })
    expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
    const topUp = { method: 'POST', headers: payment }
    expect((await farebox.call('topUp', '/x402/top-up', topUp)).status).toBe(200)
    expect(await farebox.ledger.balance(wallet.address)).toBe(10_000_000n)
  })

  it('of API keys gets no new keys, and its keys buy nothing', async () => {
    const create = (type: string) =>
      callOperator('/keys', { account: 'key:ice', apiKeyType: type, description: type })
    const admin = (await create('ADMIN')).json['secret'] as string
    await callOperator(to('key:ice', 'credit'), { amount: 1, reason: 'x' })
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
    const createOwn = () =>
      farebox.call('createApiKey', '/api_keys', {
        method: 'POST',
        headers,
        body: JSON.stringify({ apiKeyType: 'INFERENCE', description: 'mine' }),
      })
    expect((await createOwn()).status).toBe(200)
    await callOperator(to('key:ice', 'freeze'), { reason: 'x' })
    const frozen = { status: 403, json: { code: 'ACCOUNT_FROZEN' } }
    expect(await createOwn()).toMatchObject(frozen)
    expect(await parse(farebox, { authorization: `Bearer ${admin}` })).toMatchObject(frozen)
    expect(await create('INFERENCE')).toMatchObject({
      status: 409,
      json: { code: 'ACCOUNT_FROZEN' },
    })
    expect((await farebox.call('listApiKeys', '/api_keys', { headers })).status).toBe(200)
    const { json } = await callOperator('/find?q=ICE')
    expect(json['found']).toMatchObject([
      { by: 'account', account: { account: 'key:ice', frozen: { by: 'operator' } } },
    ])
  })

  it('must exist', async () => {
    expect((await callOperator(to('key:nobody-here', 'freeze'), { reason: 'x' })).status).toBe(404)
    expect((await callOperator(to('key:nobody-here', 'unfreeze'), {})).status).toBe(404)
  })
})
