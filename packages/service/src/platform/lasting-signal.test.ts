import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withLastingSignal } from './lasting-signal.js'

/** Gives one part, and then nothing. */
const server = createServer((_request, response) => void response.write('a'))
let url: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What the first collection finalizes can be collected by the next. */
async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    collect()
    await setImmediate()
  }
}

/** Reads a body until it ends. Resolves to its error. */
async function readAll(signal: AbortSignal, onPart: () => void): Promise<unknown> {
  try {
    const { body } = await withLastingSignal(fetch)(url, { signal, redirect: 'error' })
    for await (const _ of body ?? []) onPart()
    return undefined
  } catch (error) {
    return error
  }
}

describe('a signal', () => {
  it('ends bodies that are being read, and the work of their server, also after a garbage collection', async () => {
    let parts = 0
    let closed = 0
    server.on('request', (_request, response) => response.once('close', () => closed++))
    const controllers = Array.from({ length: 20 }, () => new AbortController())
    const ended = controllers.map(({ signal }) => readAll(signal, () => parts++))
    await expect.poll(() => parts).toBe(20)
    await collectGarbage()
    for (const controller of controllers) controller.abort(new Error('left'))
    for (const error of await Promise.all(ended)) expect(error).toEqual(new Error('left'))
    await expect.poll(() => closed).toBe(20)
  })

  it('that has aborted before the response does not begin to read it', async () => {
    const controller = new AbortController()
    const source = new ReadableStream({ pull: () => expect.unreachable() }, { highWaterMark: 0 })
    const send = withLastingSignal(async () => {
      controller.abort(new Error('left'))
      return new Response(source)
    })
    const response = await send(url, { signal: controller.signal })
    await expect(response.text()).rejects.toThrow('left')
  })
})
