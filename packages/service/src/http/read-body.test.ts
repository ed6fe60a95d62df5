import { operations } from '@farebox/types/operations'
import { once } from 'node:events'
import { Socket, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createServer } from '../platform/server/create-server.js'
import { createBodyBudget, readLimitedBody } from './read-body.js'

const free = 16 * 1024
const busy = expect.objectContaining({
  failure: expect.objectContaining({ status: 429 }) as object,
}) as Error
const [rich, poor] = [true, false].map((hasCredit) => (id: string) => ({ id, hasCredit })) as [
  (id: string) => { readonly id: string; readonly hasCredit: boolean },
  (id: string) => { readonly id: string; readonly hasCredit: boolean },
]

describe('the memory for bodies', () => {
  it('is limited in total, and to half of that for one caller', () => {
    const budget = createBodyBudget({ withCredit: 100 })
    budget.open(rich('a')).take(free + 50)
    expect(() => budget.open(rich('a')).take(free + 1)).toThrow(busy)
    budget.open(rich('b')).take(free + 50)
    expect(() => budget.open(rich('c')).take(free + 1)).toThrow(busy)
  })

  it('is separate for callers without credit', () => {
    const budget = createBodyBudget({ withCredit: 100, withoutCredit: 10 })
    for (const id of ['a', 'b']) budget.open(poor(id)).take(free + 5)
    expect(() => budget.open(poor('c')).take(free + 1)).toThrow(busy)
    budget.open(rich('c')).take(free + 50)
  })

  it('is released at the end of a request', () => {
    const budget = createBodyBudget({ withCredit: 100 })
    const share = budget.open(rich('a'))
    for (let piece = 0; piece < 50; piece++) share.take(piece === 0 ? free + 1 : 1)
    expect(() => share.take(1)).toThrow(busy)
    share.close()
    share.close()
    budget.open(rich('a')).take(free + 50)
    expect(() => budget.open(rich('a')).take(free + 1)).toThrow(busy)
  })

  it('is not reserved for small bodies', () => {
    const budget = createBodyBudget({ withCredit: 0, withoutCredit: 0 })
    const share = budget.open(poor('a'))
    for (let piece = 0; piece < 16; piece++) share.take(1024)
    expect(() => share.take(1)).toThrow(busy)
  })
})

describe('the body of a client that disconnects', () => {
  const readAll = (request: Request) =>
    text(readLimitedBody(request, operations.createSpeech, () => undefined))

  it.each([
    ['before it is opened', true],
    ['while it is read', false],
  ])('%s counts as a closed request, not as a crash', async (_when, isOpenedLate) => {
    const found = new Promise((resolve) => {
      const server = createServer(async (request) => {
        const gone = once(request.signal, 'abort')
        socket.destroy()
        if (isOpenedLate) await gone
        await readAll(request).then(resolve, resolve)
        server.close()
        return new Response()
      })
      server.listen(0, '127.0.0.1')
      const socket = new Socket()
      server.once('listening', () => {
        socket.connect((server.address() as AddressInfo).port, '127.0.0.1')
        socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc')
      })
    })
    expect(await found).toMatchObject({
      failure: { status: 400, json: { code: 'CLIENT_GONE' }, callersFault: false },
    })
  })
})
