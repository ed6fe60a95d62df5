import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryPaymentStore } from '@farebox/auth'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { stopClock } from '../test/stop-clock.js'
import { createFarebox } from './farebox.js'
import { FareboxError, isFareboxError } from './error.js'

const baseUrl = 'https://api.example.test/api/v1'
const audio = { 'content-type': 'audio/mpeg', 'x-request-id': 'req-1' }

/** A body of this many chunks, followed by the given end. */
function createChunkedBody(
  count: number,
  end: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
): ReadableStream<Uint8Array> {
  let pulls = 0
  return new ReadableStream(
    {
      pull: (controller) =>
        pulls++ < count ? controller.enqueue(new Uint8Array(100)) : end(controller),
    },
    { highWaterMark: 0 },
  )
}

const createResponding = (body: () => BodyInit, headers: Readonly<Record<string, string>> = {}) =>
  createFarebox({
    baseUrl,
    apiKey: 'key-1',
    fetch: async () => new Response(body(), { headers: { ...audio, ...headers } }),
  })

async function catchError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it did not throw'),
    (error: unknown) => error,
  )
}

const readBytes = (response: Response): Promise<unknown> => response.arrayBuffer()

const ways: readonly [string, (response: Response) => Promise<unknown>][] = [
  ['arrayBuffer()', readBytes],
  ['blob()', (response) => response.blob()],
  ['text()', (response) => response.text()],
  [
    'a reader',
    async ({ body }) => {
      const reader = body?.getReader()
      while (!(await reader?.read())?.done);
    },
  ],
]

describe('audio that breaks while it is read is an error of its operation', () => {
  const broken = {
    name: 'FareboxError',
    message: 'createSpeech: the response 200 broke off after 300 bytes, and may have been charged',
    operation: 'createSpeech',
    code: 'unexpected_response',
    status: 200,
    requestId: 'req-1',
    attempts: 1,
    mayHaveArrived: true,
  }

  it.each(ways)('by %s', async (_name, read) => {
    const farebox = createResponding(() =>
      createChunkedBody(3, (controller) => controller.error(new TypeError('terminated'))),
    )
    const error = await catchError(farebox.createSpeech({ input: 'Hello' }).then(read))
    expect(error).toBeInstanceOf(FareboxError)
    expect(error).toMatchObject({
      ...broken,
      cause: {
        name: 'UnexpectedResponseError',
        cause: { name: 'TypeError', message: 'terminated' },
      },
    })
    expect(isFareboxError(error, 'createSpeech')).toBe(true)
  })

  it('when it ends before its Content-Length', async () => {
    const short = () => createChunkedBody(3, (controller) => controller.close())
    expect(
      await catchError(
        createResponding(short, { 'content-length': '301' })
          .createSpeech({ input: 'x' })
          .then(readBytes),
      ),
    ).toMatchObject(broken)
    const whole = createResponding(short, { 'content-length': '300' })
    expect(await (await whole.createSpeech({ input: 'x' })).arrayBuffer()).toHaveProperty(
      'byteLength',
      300,
    )
    const packed = createResponding(short, { 'content-length': '400', 'content-encoding': 'gzip' })
    expect(await (await packed.createSpeech({ input: 'x' })).arrayBuffer()).toHaveProperty(
      'byteLength',
      300,
    )
  })

  it('over a connection', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { ...audio, 'content-length': '1000' })
      response.write(Buffer.alloc(300), () => response.destroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const farebox = createFarebox({ baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'key-1' })
    const response = await farebox.createSpeech({ input: 'Hello' })
    expect(response.url).toBe(`http://127.0.0.1:${port}/api/v1/audio/speech`)
    expect(await catchError(response.arrayBuffer())).toMatchObject(broken)
    server.close()
  })

  it('when the caller aborts', async () => {
    const controller = new AbortController()
    const silent = () => createChunkedBody(3, () => undefined)
    const response = await createResponding(silent).createSpeech(
      { input: 'Hello' },
      { signal: controller.signal },
    )
    const reading = catchError(response.arrayBuffer())
    await new Promise((resolve) => void setImmediate(resolve))
    controller.abort(new Error('enough'))
    expect(await reading).toMatchObject({
      operation: 'createSpeech',
      code: 'aborted',
      attempts: 1,
      mayHaveArrived: true,
      cause: { message: 'enough' },
    })
  })

  it('as a video, and as a download', async () => {
    const broken = () =>
      createChunkedBody(3, (controller) => controller.error(new TypeError('terminated')))
    const direct = createResponding(broken, { 'content-type': 'video/mp4' }).generateVideo({
      model: 'm',
      queue_id: 'q',
    })
    expect(await catchError(direct.then(readBytes))).toMatchObject({
      operation: 'retrieveVideo',
      code: 'unexpected_response',
      mayHaveArrived: true,
    })
    let sends = 0
    const fetch = async () =>
      sends++ === 0
        ? Response.json({ status: 'COMPLETED', average_execution_time: 1, execution_duration: 1 })
        : new Response(broken(), { headers: { 'content-type': 'video/mp4' } })
    const queuedVideo = { model: 'm', queue_id: 'q', download_url: 'https://files.example.test/q' }
    const downloaded = createFarebox({
      baseUrl,
      apiKey: 'key-1',
      fetch,
      downloadOrigins: 'any',
    }).generateVideo(queuedVideo)
    expect(await catchError(downloaded.then(readBytes))).toMatchObject({
      name: 'FareboxError',
      operation: 'retrieveVideo',
      mayHaveArrived: true,
    })
  })
})

describe('an error response with the Content-Type of audio', () => {
  afterEach(() => void vi.useRealTimers())

  it('has the time limit of JSON', async () => {
    await stopClock()
    let isOver = false
    const drop = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      isOver || controller.enqueue(new Uint8Array(1))
    const drip = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) =>
          new Promise((resolve) => void setTimeout(() => resolve(void drop(controller)), 900)),
        cancel: () => void (isOver = true),
      })
    const fetch = async () =>
      new Response(drip(), { status: 402, headers: { 'content-type': 'audio/mpeg' } })
    const wallet = {
      kind: 'evm',
      address: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
      sign: async () => '0x00',
      signTypedData: async () => '0x00',
    } as const
    const topUp = catchError(
      createFarebox({
        baseUrl,
        wallet,
        fetch,
        timeoutMs: 5_000,
        idleTimeoutMs: 1_000,
        retry: false,
        payments: { store: memoryPaymentStore() },
      }).topUp(5),
    )
    await vi.advanceTimersByTimeAsync(6_000)
    expect(await Promise.race([topUp, Promise.resolve('still under way')])).toMatchObject({
      operation: 'topUp',
      code: 'malformed_offer',
    })
  })
})
