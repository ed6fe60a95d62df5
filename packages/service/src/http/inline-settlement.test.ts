import { describe, expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { useFacilitator } from '../../test/use-facilitator.js'
import { base, solana, transaction } from '../../test/fake-facilitator.js'
import { decodeHeader } from '../../test/harness.js'
import { parse, createPayer } from '../../test/inline-payment.js'

describe('a payment with a request, settled by a facilitator', () => {
  const at = useFacilitator(async () => {
    const database = await openEmptyDatabase()
    return { database, close: database.close }
  })
  const { asked, credited } = at

  it('is settled once its request is read, and names its transaction', async () => {
    const { wallet, paying } = await createPayer(at.farebox)
    const response = await parse(at.farebox, paying)
    expect([response.status, response.headers.get('x-balance-remaining')]).toEqual([
      200,
      '4.990000',
    ])
    expect(decodeHeader(response.headers, 'payment-response')).toEqual({
      success: true,
      transaction,
      network: base,
      payer: wallet.address,
    })
    expect(asked('/settle')[0]?.json).toMatchObject({
      paymentPayload: {
        resource: { url: 'http://127.0.0.1:4020/api/v1/augment/text-parser' },
        extensions: { bazaar: { info: { input: { method: 'POST', bodyType: 'form-data' } } } },
      },
    })
    expect((await parse(at.farebox, paying)).status).toBe(200)
    expect([asked('/settle').length, await credited(wallet.address)]).toEqual([1, 4_990_000n])
  })

  it('that is rejected returns 402 with the reason and new offers, and does not run the request', async () => {
    const { wallet, paying } = await createPayer(at.farebox)
    at.facilitator.verdicts.push({
      status: 200,
      body: { isValid: false, invalidReason: 'insufficient_funds', payer: wallet.address },
    })
    const response = await parse(at.farebox, paying)
    expect([response.status, response.json['error']]).toEqual([402, 'insufficient_funds'])
    expect(decodeHeader(response.headers, 'payment-response')).toMatchObject({
      success: false,
      errorReason: 'insufficient_funds',
    })
    expect(decodeHeader(response.headers, 'payment-required')).toMatchObject({
      accepts: [{ network: base }, { network: solana }],
    })
    expect([asked('/settle').length, await credited(wallet.address)]).toEqual([0, 0n])
  })

  it('with a lost settlement returns 503, and runs when the same request is retried', async () => {
    const { wallet, paying } = await createPayer(at.farebox)
    at.facilitator.script.push('lose')
    const lost = await parse(at.farebox, paying)
    expect([lost.status, lost.json['code'], lost.headers.get('payment-response')]).toEqual([
      503,
      'SETTLEMENT_TIMEOUT',
      null,
    ])
    const again = await parse(at.farebox, paying)
    expect([again.status, at.facilitator.landed.size, await credited(wallet.address)]).toEqual([
      200,
      1,
      4_990_000n,
    ])
  })

  it('returns 503 while nothing is settled, and nothing is offered', async () => {
    const { wallet, paying } = await createPayer(at.farebox)
    at.facilitator.supported = { kinds: [] }
    const other = await at.serve()
    const response = await parse(other, paying)
    expect([response.status, response.json['code'], await credited(wallet.address)]).toEqual([
      503,
      'X402_NOT_CONFIGURED',
      0n,
    ])
  })
})
