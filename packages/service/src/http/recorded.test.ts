import { expect, it } from 'vitest'
import type { Claim } from '../domain/replay/keyed-requests.js'
import { watchClient } from './operation-runner.js'
import { storeWhileSent } from './replay.js'

const doNothing = async () => undefined

it('fails the body of a client that stopped reading, once its work has ended and its key is released', async () => {
  const order: string[] = []
  const claim: Claim = {
    run: 1,
    store: () => ({ write: doNothing, end: doNothing }),
    forget: async () => void order.push('key is free'),
    rest: doNothing,
    giveBack: doNothing,
  }
  const work = new ReadableStream<Uint8Array>(
    { cancel: () => void order.push('work has ended') },
    { highWaterMark: 0 },
  )
  const client = watchClient(new Request('http://127.0.0.1/'))
  const { body } = await storeWhileSent(
    { status: 200, headers: {}, body: work },
    claim,
    client,
    (error) => expect.fail(String(error)),
  )
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  client.leave()
  await expect(reader.closed).rejects.toThrow('aborted')
  expect(order).toEqual(['work has ended', 'key is free'])
})
