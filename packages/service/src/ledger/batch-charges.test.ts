import { describe, expect, it } from 'vitest'
import { batchCharges, type ChargeTogether } from './batch-charges.js'
import type { Charge, ChargeResult } from './books.js'

type Answer = { readonly resolve: () => void; readonly reject: (error: Error) => void }

const charge = (account: string, requestId: string, rest: Partial<Charge> = {}): Charge => ({
  account,
  amount: 1n,
  requestId,
  modelId: null,
  ...rest,
})
const refused = (code: string) => Object.assign(new Error(code), { code })
const paid = (one: Charge): ChargeResult => ({ status: 'charged', entryId: one.requestId, balance: 0n })

/** Statements that are answered by hand. Common ones charge nothing for `poor`. */
function till() {
  const sent: string[] = []
  const open: Answer[] = []
  const answered = <T>(name: string, result: () => T) =>
    new Promise<T>((resolve, reject) => {
      sent.push(name)
      open.push({ resolve: () => resolve(result()), reject })
    })
  const together: ChargeTogether = (charges) =>
    answered(`[${charges.map(({ requestId }) => requestId).join(' ')}]`, () => {
      return charges.map((one) => (one.account === 'poor' ? undefined : paid(one)))
    })
  const ask = batchCharges((one) => answered(one.requestId, () => paid(one)), together)
  /** Answers the oldest statement, and lets all come of it that comes of it by itself. */
  const next = async (error?: Error) => {
    const first = open.shift()
    if (error) first?.reject(error)
    else first?.resolve()
    await settled()
  }
  return { sent, ask, next }
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

describe('batchCharges', () => {
  it('sends a charge that comes alone as it is, before anything else happens', async () => {
    const { sent, ask, next } = till()
    const result = ask(charge('a', '1'))
    await Promise.resolve()
    expect(sent).toEqual(['1'])
    await next()
    expect(await result).toEqual({ status: 'charged', entryId: '1', balance: 0n })
  })

  it('sends what comes at once together, and what comes during two statements as soon as one is back', async () => {
    const { sent, ask, next } = till()
    for (const [account, id] of ['a1', 'b2', 'a3']) void ask(charge(account ?? '', id ?? ''))
    await settled()
    void ask(charge('c', '4'))
    await settled()
    for (const [account, id] of ['d5', 'e6']) {
      void ask(charge(account ?? '', id ?? ''))
      await settled()
    }
    expect(sent).toEqual(['[1 2 3]', '4'])
    await next()
    expect(sent).toEqual(['[1 2 3]', '4', '[5 6]'])
  })

  it('has one statement under way for an account', async () => {
    const { sent, ask, next } = till()
    for (const id of ['1', '2', '3']) {
      void ask(charge('a', id))
      await settled()
    }
    void ask(charge('b', '4'))
    await settled()
    expect(sent).toEqual(['1', '4'])
    await next()
    expect(sent).toEqual(['1', '4', '[2 3]'])
  })

  it('sends at most 200 in a statement', async () => {
    const { sent, ask } = till()
    for (let account = 0; account < 201; account++) void ask(charge(String(account), 'x'))
    await settled()
    expect(sent.map((names) => names.split(' ').length)).toEqual([200, 1])
  })

  it('sends what counts for an API key alone and at once', () => {
    const { sent, ask } = till()
    for (const id of ['1', '2', '3']) void ask(charge('a', id, { keyId: 'k' }))
    expect(sent).toEqual(['1', '2', '3'])
  })

  it('charges alone what a common statement did not charge', async () => {
    const { sent, ask, next } = till()
    const results = [ask(charge('a', '1')), ask(charge('poor', '2'))]
    await settled()
    await next()
    expect(sent).toEqual(['[1 2]', '2'])
    await next()
    expect((await Promise.all(results)).map(({ status }) => status)).toEqual(['charged', 'charged'])
  })

  it.each(['23503', '40P01', '40001', '22003'])('charges each alone when the database undid their statement with %s', async (code) => {
    const { sent, ask, next } = till()
    const results = Promise.allSettled([ask(charge('a', '1')), ask(charge('b', '2'))])
    await settled()
    await next(refused(code))
    expect(sent).toEqual(['[1 2]', '1', '2'])
    await next()
    await next(new Error('second'))
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  it.each([new Error('Connection terminated unexpectedly'), ...['ECONNRESET', 'EPIPE', '57P01', '08006', '40003'].map(refused)])(
    'charges nobody again when it may have been done: %s',
    async (error) => {
      const { sent, ask, next } = till()
      const failures = Promise.allSettled([ask(charge('a', '1')), ask(charge('b', '2'))])
      await settled()
      await next(error)
      expect(await failures).toEqual([
        { status: 'rejected', reason: error },
        { status: 'rejected', reason: error },
      ])
      expect(sent).toEqual(['[1 2]'])
    },
  )

  it('goes on after a statement that failed', async () => {
    const { sent, ask, next } = till()
    const failure = ask(charge('a', '1')).catch(String)
    await settled()
    const result = ask(charge('a', '2'))
    await next(new Error('lost'))
    expect(await failure).toBe('Error: lost')
    expect(sent).toEqual(['1', '2'])
    await next()
    expect(await result).toMatchObject({ status: 'charged' })
  })
})
