import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { countRounds, sampleCases } from '@farebox/testing/rounds'
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import { base, feePayer, solana, transaction, type Step } from '../../../test/fake-facilitator.js'
import { useFacilitator, key, payToSolana } from '../../../test/use-facilitator.js'
import { decodeHeader, createWallet, payee } from '../../../test/harness.js'
import { decode, createSolanaWallet, signSolanaPayment } from '../../../test/solana.js'

const blockhash = { extra: { recentBlockhash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' } }

describe.each(sampleCases(engines))('a facilitator, on $engine', ({ open }) => {
  const at = useFacilitator(open)
  const { serve, topUp, asked, credited, timeouts } = at

  it('lists what it settles, verifies and settles a payment, and the payment is credited', async () => {
    const wallet = createWallet()
    const header = await at.farebox.pay(wallet, { usd: 12.34 })
    const response = await topUp(header)
    expect([response.status, response.json['data']]).toMatchObject([
      200,
      { walletAddress: wallet.address, amountCredited: 12.34 },
    ])
    expect(decodeHeader(response.headers, 'payment-response')).toEqual({
      success: true,
      transaction,
      network: base,
      payer: wallet.address,
    })
    expect(response.headers.get('x-farebox-backend')).toBe('payments=facilitator')
    expect(await credited(wallet.address)).toBe(12_340_000n)
    expect(at.facilitator.asked.map(({ path, authorization }) => [path, authorization])).toEqual(
      ['/supported', '/verify', '/settle'].map((path) => [path, `Bearer ${key}`]),
    )
    const [verified, settled] = at.facilitator.asked.slice(1)
    expect(settled?.text).toBe(verified?.text)
    const { accepted, payload } = decode(header) as { accepted: object; payload: object }
    expect(settled?.json).toEqual({
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        resource: expect.anything() as object,
        extensions: { bazaar: expect.anything() as object },
        accepted,
        payload,
      },
      paymentRequirements: { ...accepted, payTo: payee },
    })
  })

  // a model of Python writes each optional field, and x402-rs writes '' for one
  it.each([null, ''])('may send %j for fields that it omits', async (nothing) => {
    const wallet = createWallet()
    const lie = { amount: nothing, payer: nothing, network: nothing, errorReason: nothing }
    at.facilitator.script.push({ lie })
    const response = await topUp(await at.farebox.pay(wallet))
    expect([response.status, await credited(wallet.address)]).toEqual([200, 5_000_000n])
  })

  it('is called in version 1 if it supports no other, whatever version the client uses', async () => {
    at.facilitator.supported = { kinds: [{ x402Version: 1, scheme: 'exact', network: 'base' }] }
    at.farebox = await serve()
    for (const shape of ['v2', 'v1', 'hybrid'] as const)
      expect((await topUp(await at.farebox.pay(createWallet(), { shape }))).status).toBe(200)
    expect(asked('/settle').map(({ json }) => json)).toMatchObject(
      Array.from({ length: 3 }, () => ({
        x402Version: 1,
        paymentPayload: { x402Version: 1, scheme: 'exact', network: 'base' },
        paymentRequirements: {
          scheme: 'exact',
          network: 'base',
          maxAmountRequired: '5000000',
          payTo: payee,
          resource: /top-up$/,
        },
      })).map((one) => ({
        ...one,
        paymentRequirements: {
          ...one.paymentRequirements,
          resource: expect.stringMatching(/top-up$/) as string,
        },
      })),
    )
  })

  it('settles Solana payments for its own fee payer, once', async () => {
    const wallet = createSolanaWallet()
    const header = await signSolanaPayment(at.farebox, wallet, { change: blockhash })
    expect(decode(header).accepted).toMatchObject({
      network: solana,
      payTo: payToSolana,
      extra: { feePayer },
    })
    at.facilitator.script.push('lose')
    expect((await topUp(header)).status).toBe(504)
    const again = await topUp(header)
    expect([again.status, again.json['data']]).toMatchObject([
      200,
      { walletAddress: wallet.address, amountCredited: 5 },
    ])
    expect((await topUp(header)).text).toBe(again.text)
    expect([
      at.facilitator.landed.size,
      asked('/settle').length,
      await credited(wallet.address),
    ]).toEqual([1, 2, 5_000_000n])
    // the offered block hash is no part of the terms
    expect(asked('/settle')[0]?.json.paymentRequirements).toMatchObject({ extra: { feePayer } })
  })

  it('that finds a payment invalid leads to 402 with its reason, and nothing is settled', async () => {
    const wallet = createWallet()
    at.facilitator.verdicts.push({
      status: 200,
      body: { isValid: false, invalidReason: 'insufficient_funds', payer: wallet.address },
    })
    const response = await topUp(await at.farebox.pay(wallet))
    expect([response.status, response.json['error'], response.json['accepts']]).toMatchObject([
      402,
      'insufficient_funds',
      [{ network: 'base' }, { network: 'solana' }],
    ])
    expect(decodeHeader(response.headers, 'payment-response')).toMatchObject({
      success: false,
      errorReason: 'insufficient_funds',
    })
    expect([asked('/settle').length, await credited(wallet.address)]).toEqual([0, 0n])
  })

  it.each([
    [
      '200',
      {
        status: 200,
        body: {
          success: false,
          errorReason: 'invalid_exact_evm_insufficient_balance',
          transaction: '',
        },
      },
    ],
    [
      '400',
      {
        status: 400,
        body: {
          success: false,
          errorReason: 'invalid_exact_evm_insufficient_balance',
          transaction: '',
        },
      },
    ],
  ])(
    'that rejects a settlement (%s) is trusted, and may be asked again with the same payment',
    async (_status, step) => {
      const wallet = createWallet()
      const header = await at.farebox.pay(wallet)
      at.facilitator.script.push(step)
      const rejected = await topUp(header)
      expect([rejected.status, rejected.json['error']]).toEqual([
        402,
        'invalid_exact_evm_insufficient_balance',
      ])
      expect([
        (await topUp(header)).status,
        asked('/verify').length,
        await credited(wallet.address),
      ]).toEqual([200, 2, 5_000_000n])
    },
  )

  const unknown: readonly (readonly [string, Step])[] = [
    ['breaks the connection after it settled', 'lose'],
    ['breaks the connection before it settled', 'drop'],
    ['responds 500 after it settled', { status: 500, body: {}, settles: true }],
    [
      'responds 502 with a rejection',
      { status: 502, body: { success: false, errorReason: 'insufficient_funds' } },
    ],
    ['responds 200 and no settlement', { status: 200, body: '<html>', settles: true }],
    [
      'answers more than anybody should',
      {
        status: 200,
        body: { success: true, transaction, junk: 'x'.repeat(70_000) },
        settles: true,
      },
    ],
    [
      'says that it is on its way',
      { status: 200, body: { success: false, errorReason: 'settlement_pending' }, settles: true },
    ],
    [
      'says that it was settled before',
      { status: 400, body: { success: false, errorReason: 'duplicate_settlement' }, settles: true },
    ],
    [
      'submitted a transaction and says that it failed',
      {
        status: 200,
        body: { success: false, errorReason: 'invalid_exact_evm_transaction_failed', transaction },
        settles: true,
      },
    ],
    ['names another network', { lie: { network: 'eip155:84532' } }],
    ['names another payer', { lie: { payer: payee } }],
    ['names another amount', { lie: { amount: '1' } }],
    ['names no transaction', { lie: { transaction: '' } }],
  ]
  it.each(unknown)(
    'that %s leaves the outcome unknown: 504, open, and credited once when it is asked again',
    async (_what, step) => {
      const wallet = createWallet()
      const header = await at.farebox.pay(wallet)
      at.facilitator.script.push(step)
      const first = await topUp(header, { idempotencyKey: `order-${wallet.address}` })
      expect([first.status, first.json['error'], await credited(wallet.address)]).toEqual([
        504,
        'SETTLEMENT_TIMEOUT',
        0n,
      ])
      expect(at.farebox.troubles).toEqual([
        expect.stringMatching(
          /^facilitator: Facilitator: the outcome of pay_[0-9a-f]{32} is unknown/,
        ),
      ])
      const responses = [
        await topUp(header),
        await topUp(header),
        await topUp(header, { idempotencyKey: `order-${wallet.address}` }),
      ]
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
      expect([
        at.facilitator.landed.size,
        asked('/verify').length,
        asked('/settle').length,
      ]).toEqual([1, 1, 2])
      expect(new Set(asked('/settle').map(({ text }) => text)).size).toBe(1)
      expect(await credited(wallet.address)).toBe(5_000_000n)
    },
  )

  it('that does not respond in time leaves the outcome unknown', async () => {
    const wallet = createWallet()
    const header = await at.farebox.pay(wallet)
    at.facilitator.script.push('stall')
    const first = topUp(header)
    await at.facilitator.calls('/settle', 1)
    expect(timeouts.map(({ milliseconds }) => milliseconds)).toEqual([10_000, 10_000, 60_000])
    timeouts.at(-1)?.fire()
    expect((await first).status).toBe(504)
    expect([
      (await topUp(header)).status,
      at.facilitator.landed.size,
      await credited(wallet.address),
    ]).toEqual([200, 1, 5_000_000n])
  })

  it('that rejects what it may have settled before is not trusted: the payment stays open', async () => {
    const wallet = createWallet()
    const header = await at.farebox.pay(wallet)
    at.facilitator.script.push(
      'lose',
      { status: 200, body: { success: false, errorReason: 'insufficient_funds' } },
      { status: 401, body: {} },
    )
    for (let time = 0; time < 3; time++) expect((await topUp(header)).status).toBe(504)
    expect([(await topUp(header)).status, await credited(wallet.address)]).toEqual([
      200,
      5_000_000n,
    ])
  })

  it('is asked once for a payment that is sent many times concurrently; the others wait', async () => {
    const wallet = createWallet()
    const header = await at.farebox.pay(wallet)
    let release: () => void = () => undefined
    at.facilitator.script.push({ hold: new Promise<void>((resolve) => (release = resolve)) })
    const first = topUp(header)
    await at.facilitator.calls('/settle', 1)
    const others = await Promise.all(Array.from({ length: 5 }, () => topUp(header)))
    expect(others.map(({ status, json }) => [status, json['error']])).toEqual(
      Array.from({ length: 5 }, () => [409, 'PAYMENT_IN_PROGRESS']),
    )
    release()
    expect([(await first).status, (await topUp(header)).status, asked('/settle').length]).toEqual([
      200, 200, 1,
    ])
    expect(await credited(wallet.address)).toBe(5_000_000n)
  })

  it('is asked again by the successor of a process that died, with the same bytes, even late and while nothing is offered', async () => {
    const wallet = createWallet()
    const header = await at.farebox.pay(wallet)
    const stranger = await at.farebox.pay(createWallet())
    at.facilitator.script.push('stall')
    void topUp(header).catch(() => undefined)
    await at.facilitator.calls('/settle', 1)
    at.facilitator.supported = 503
    const next = await serve()
    next.clock.time += 3_600_000
    expect([
      (await topUp(stranger, { via: next })).status,
      (await topUp(header, { via: next })).status,
    ]).toEqual([503, 200])
    expect([
      asked('/verify').length,
      new Set(asked('/settle').map(({ text }) => text)).size,
      at.facilitator.landed.size,
    ]).toEqual([1, 1, 1])
    expect(await credited(wallet.address)).toBe(5_000_000n)
  })

  it('is not asked about a payment that another process may still be settling', async () => {
    const wallet = createWallet()
    const header = await at.farebox.pay(wallet)
    at.facilitator.script.push('stall')
    void topUp(header).catch(() => undefined)
    await at.facilitator.calls('/settle', 1)
    const other = await serve({ databaseUrl: 'postgres://beside' })
    expect((await topUp(header, { via: other })).status).toBe(409)
    other.clock.time += 90_000
    expect([(await topUp(header, { via: other })).status, await credited(wallet.address)]).toEqual([
      200,
      5_000_000n,
    ])
  })

  it('has its settlement credited by the next request when the process died before crediting', async () => {
    const wallet = createWallet()
    const header = await at.farebox.pay(wallet)
    let down = true
    const database = {
      ...at.storage.database,
      close: async () => undefined,
      query: ((sql: string, params?: readonly unknown[]) =>
        down && sql.includes('insert into payment')
          ? Promise.reject(new Error('died'))
          : at.storage.database.query(sql, params)) as never,
    }
    const dying = await serve({ database })
    expect((await topUp(header, { via: dying })).status).toBe(500)
    down = false
    expect([
      (await topUp(header)).status,
      asked('/settle').length,
      await credited(wallet.address),
    ]).toEqual([200, 1, 5_000_000n])
  })

  it('has one payment credited per nonce, even if it claims to have settled another', async () => {
    const wallet = createWallet()
    const nonce = `0x${randomBytes(32).toString('hex')}` as const
    expect((await topUp(await at.farebox.pay(wallet, { nonce }))).status).toBe(200)
    const other = await topUp(await at.farebox.pay(wallet, { nonce, usd: 7 }))
    expect([other.status, other.json['error'], await credited(wallet.address)]).toEqual([
      400,
      'INVALID_PAYMENT',
      5_000_000n,
    ])
  })

  it('may behave in any way: only settled payments are credited, and each once', async () => {
    const steps: Step[] = [
      'settle',
      'lose',
      'drop',
      ...unknown.map(([, step]) => step),
      { status: 429, body: {} },
    ]
    const rejection: Step = {
      status: 200,
      body: { success: false, errorReason: 'insufficient_funds' },
    }
    const history = fc.array(fc.constantFrom(...steps, rejection), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 3 }), async (script, parallel) => {
        const wallet = createWallet()
        const header = await at.farebox.pay(wallet)
        at.facilitator.script.splice(0, Infinity, ...script)
        const credits = new Set<string>()
        for (let round = 0; round < 8 && credits.size === 0; round++) {
          for (const { status, text } of await Promise.all(
            Array.from({ length: parallel }, () => topUp(header)),
          )) {
            if (status === 200) credits.add(text)
            else expect([402, 409, 503, 504]).toContain(status)
          }
        }
        expect(credits.size).toBe(1)
        expect(
          [...at.facilitator.landed].filter((payload) => payload.includes(wallet.address)),
        ).toHaveLength(1)
        expect(await at.farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
      }),
      { numRuns: countRounds(40) },
    )
    expect(await at.farebox.ledger.audit()).toEqual([])
  })
})
