import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeHeader, startService, type Harness } from '../../test/harness.js'
import { decode, encode, createSolanaWallet, signSolanaPayment } from '../../test/solana.js'

let farebox: Harness
let serial = 0
beforeAll(async () => void (farebox = await startService()))
afterAll(() => farebox.service.close())

const topUp = (header: string, name = 'payment-signature') =>
  farebox.call('topUp', '/x402/top-up', {
    method: 'POST',
    headers: { [name]: header },
    from: `10.1.0.${++serial}`,
  })

const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

describe('a payment on Solana', () => {
  it('is credited to the wallet that signed it', async () => {
    const wallet = createSolanaWallet()
    const response = await topUp(await signSolanaPayment(farebox, wallet, { usd: 12.34 }))
    expect(response.status).toBe(200)
    expect(response.json).toMatchObject({
      success: true,
      data: {
        walletAddress: wallet.address,
        amountCredited: 12.34,
        newBalance: 12.34,
        paymentId: expect.stringMatching(/^pay_/) as string,
      },
    })
    expect(decodeHeader(response.headers, 'payment-response')).toEqual({
      success: true,
      transaction: '',
      network: solana,
      payer: wallet.address,
    })
    expect(response.headers.get('x-farebox-backend')).toBe('payments=local')
    expect(await farebox.ledger.balance(wallet.address)).toBe(12_340_000n)
    expect(await farebox.ledger.audit()).toEqual([])
  })

  it('is credited once however it is encoded: in each envelope, with other fields, in parallel, and after it expires', async () => {
    const wallet = createSolanaWallet()
    const header = await signSolanaPayment(farebox, wallet)
    const { x402Version, accepted, payload } = decode(header)
    const flat = { scheme: 'exact', payload }
    const spellings = [
      header,
      encode({ payload, accepted, x402Version }),
      encode({ x402Version, accepted: { ...accepted, network: 'solana' }, payload }),
      encode({
        x402Version,
        accepted,
        payload: { ...payload, memo: 'another' },
        resource: { url: 'x' },
      }),
      encode({ x402Version: 1, ...flat, network: 'solana' }),
      encode({ x402Version: 2, ...flat, network: 'solana' }),
      encode({ x402Version: 1, ...flat, network: solana }),
    ]
    const responses = await Promise.all(spellings.map((spelling) => topUp(spelling)))
    farebox.clock.time += 3_600_000
    responses.push(await topUp(header, 'x-payment'))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
  })

  it('cannot be credited again by encoding the transaction differently', async () => {
    const wallet = createSolanaWallet()
    const { payload, ...rest } = decode(await signSolanaPayment(farebox, wallet))
    const bytes = Buffer.from(payload.transaction, 'base64')
    // the count of signatures in two bytes, a byte at the end, the slot of the fee payer filled, S
    // of the signature changed, loose base64
    const filled = Buffer.from(bytes).fill(1, 1, 65)
    const malleable = Buffer.from(bytes)
    malleable[128] = (malleable[128] ?? 0) ^ 0x10
    const transactions = [
      Buffer.concat([Buffer.of(0x82, 0), bytes.subarray(1)]).toString('base64'),
      Buffer.concat([bytes, Buffer.of(0)]).toString('base64'),
      filled.toString('base64'),
      malleable.toString('base64'),
      `${payload.transaction}\n`,
      payload.transaction.replaceAll('+', '-').replaceAll('/', '_').replace(/=*$/, '='),
    ]
    expect((await topUp(encode({ ...rest, payload }))).status).toBe(200)
    for (const transaction of transactions)
      expect((await topUp(encode({ ...rest, payload: { transaction } }))).status).toBe(400)
    expect(await farebox.ledger.balance(wallet.address)).toBe(5_000_000n)
  })

  it('is 402, and not credited, once its blockhash has expired', async () => {
    const wallet = createSolanaWallet()
    const header = await signSolanaPayment(farebox, wallet)
    farebox.clock.time += 90_001
    const response = await topUp(header)
    expect([response.status, response.json['error']]).toEqual([
      402,
      'invalid_exact_svm_transaction_simulation_failed',
    ])
    expect(await farebox.ledger.balance(wallet.address)).toBe(0n)
    expect((await topUp(await signSolanaPayment(farebox, wallet))).status).toBe(200)
  })

  it('may use a blockhash that its client requested from the chain', async () => {
    const extra = { recentBlockhash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' }
    expect(
      (await topUp(await signSolanaPayment(farebox, createSolanaWallet(), { change: { extra } })))
        .status,
    ).toBe(200)
  })

  const stranger = createSolanaWallet().address
  it.each([
    ['less than 5 USD', { usd: 4.999999, change: { amount: '4000000' } }, 'AMOUNT_TOO_LOW'],
    ['more than 10,000 USD', { usd: 10_000.000001 }, 'AMOUNT_TOO_HIGH'],
    ['to another payee', { change: { payTo: stranger } }, 'INVALID_PAYMENT_RECIPIENT'],
    [
      'whose fee another should pay',
      { change: { extra: { feePayer: stranger } } },
      'INVALID_PAYMENT',
    ],
    ['with other terms', { change: { maxTimeoutSeconds: 299 } }, 'INVALID_PAYMENT'],
  ])('%s is rejected', async (_what, changes, code) => {
    const wallet = createSolanaWallet()
    const response = await topUp(await signSolanaPayment(farebox, wallet, changes))
    expect([response.status, response.json['error']]).toEqual([400, code])
    expect(await farebox.ledger.balance(wallet.address)).toBe(0n)
  })

  it('pays the address of --pay-to-solana, and no other', async () => {
    const payToSolana = createSolanaWallet().address
    const other = await startService({ payToSolana })
    const header = await signSolanaPayment(other, createSolanaWallet())
    expect(decode(header).accepted['payTo']).toBe(payToSolana)
    const response = await other.call('topUp', '/x402/top-up', {
      method: 'POST',
      headers: { 'payment-signature': header },
    })
    expect(response.status).toBe(200)
    expect((await topUp(header)).json['error']).toBe('INVALID_PAYMENT_RECIPIENT')
    await other.service.close()
    await expect(startService({ payToSolana: '0x1' })).rejects.toThrow('payToSolana is "0x1"')
  })
})
