import { getEventListeners } from 'node:events'
import { memoryPaymentStore } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createPaymentRequired } from '@farebox/testing/top-up-offer'
import { describe, expect, it } from 'vitest'
import { createFarebox } from './farebox.js'
import { FareboxError, isFareboxError } from './error.js'
import type { FareboxEvent } from './options.js'
import type { FareboxOptions } from './options.js'

const baseUrl = 'https://api.example.test/api/v1'
const prompt = { model: 'local-test-clip', prompt: 'a tram', duration: '5s' } as const

type Reply = Response | Error | 'never'

/** An SDK over a scripted service, and the caller's own signal. */
function createScripted(script: readonly Reply[], options: FareboxOptions = {}) {
  const controller = new AbortController()
  const rest = [...script]
  let sends = 0
  const fetch: typeof globalThis.fetch = async () => {
    sends++
    const reply = rest.shift() ?? 'never'
    if (reply === 'never') return new Promise(() => undefined)
    if (reply instanceof Error) throw reply
    return reply
  }
  const farebox = createFarebox({
    baseUrl,
    fetch,
    ...(options.wallet === undefined && { apiKey: 'key-1' }),
    ...options,
    ...(options.wallet && { payments: { store: memoryPaymentStore(), ...options.payments } }),
  })
  return { farebox, controller, signal: controller.signal, sends: () => sends }
}

const on =
  (controller: () => AbortController, type: FareboxEvent['type'], attempt: number) =>
  (event: FareboxEvent): void => {
    if (event.type === type && 'attempt' in event && event.attempt === attempt)
      queueMicrotask(() => controller().abort())
  }

/** Aborts at this event of this attempt, and returns the error. */
async function abortAt(
  type: FareboxEvent['type'],
  attempt: number,
  script: readonly Reply[],
  method: 'get' | 'post',
): Promise<unknown> {
  const onEvent = on(() => played.controller, type, attempt)
  const played = createScripted(script, { onEvent, retry: { random: () => 0 } })
  const { farebox, signal } = played
  const error = await catchError(
    method === 'get' ? farebox.listModels({}, { signal }) : farebox.queueVideo(prompt, { signal }),
  )
  expect(getEventListeners(signal, 'abort')).toEqual([])
  return summarizeError(error)
}

describe('the error of an aborted call states its attempts, and whether it may have arrived: aborted', () => {
  it('before the call', async () => {
    const { farebox, controller, signal, sends } = createScripted([])
    controller.abort()
    expect(summarizeError(await catchError(farebox.queueVideo(prompt, { signal })))).toEqual([
      'aborted',
      0,
      false,
    ])
    expect(sends()).toBe(0)
  })

  it('before the code that a form needs is loaded, with the reason of the caller as its cause', async () => {
    const reason = new Error('The user left.')
    const { farebox } = createScripted([])
    const error = await catchError(
      farebox.parseText({ file: new Blob(['x']) }, { signal: AbortSignal.abort(reason) }),
    )
    expect(error).toMatchObject({
      code: 'aborted',
      message: 'parseText: The user left.',
      attempts: 0,
      mayHaveArrived: false,
    })
    expect((error as FareboxError).cause).toBe(reason)
  })

  it('in the queue, while another call on the same signal is in flight', async () => {
    const { farebox, controller, signal, sends } = createScripted([], {
      failureBudget: { failures: 1 },
    })
    const running = [1, 2].map(async () => catchError(farebox.queueVideo(prompt, { signal })))
    await new Promise((resolve) => void setImmediate(resolve))
    expect(sends()).toBe(1)
    controller.abort()
    expect((await Promise.all(running)).map(summarizeError)).toEqual([
      ['aborted', 1, true],
      ['aborted', 0, false],
    ])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('in flight', async () => {
    expect(await abortAt('send', 1, ['never'], 'post')).toEqual(['aborted', 1, true])
    expect(
      await abortAt('send', 2, [createJsonResponse(503, { error: 'busy' }), 'never'], 'post'),
    ).toEqual(['aborted', 2, true])
  })

  it('between two attempts: after a failed connection, after a response, and after a lost response', async () => {
    expect(await abortAt('retry', 1, [createNetworkError('ECONNREFUSED')], 'post')).toEqual([
      'aborted',
      1,
      false,
    ])
    expect(
      await abortAt(
        'retry',
        2,
        [createJsonResponse(503, { error: 'busy' }), createNetworkError('ECONNREFUSED')],
        'post',
      ),
    ).toEqual(['aborted', 2, false])
    expect(await abortAt('retry', 1, [createNetworkError('ECONNRESET')], 'get')).toEqual([
      'aborted',
      1,
      true,
    ])
  })

  it('in the body of the response, or before the caller has the response', async () => {
    const response = (read: () => void) => {
      const pull = (controller: ReadableStreamDefaultController) => (
        controller.enqueue(new TextEncoder().encode('{"model":')),
        read()
      )
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), {
        headers: { 'content-type': 'application/json' },
      })
    }
    expect(await abortAt('response', 1, [response(() => undefined)], 'post')).toEqual([
      'aborted',
      1,
      true,
    ])
    const played = createScripted([response(() => played.controller.abort())])
    expect(
      summarizeError(
        await catchError(played.farebox.queueVideo(prompt, { signal: played.signal })),
      ),
    ).toEqual(['aborted', 1, true])
  })

  it('without retries, rateLimit and failureBudget', async () => {
    const fetch: typeof globalThis.fetch = (_url, init) =>
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
      )
    const { farebox, controller, signal } = createScripted([], {
      fetch,
      retry: false,
      rateLimit: false,
      failureBudget: false,
    })
    const running = catchError(farebox.queueVideo(prompt, { signal }))
    await new Promise((resolve) => void setImmediate(resolve))
    controller.abort()
    expect(summarizeError(await running)).toEqual(['aborted', 1, true])
    expect(summarizeError(await catchError(farebox.queueVideo(prompt, { signal })))).toEqual([
      'aborted',
      0,
      false,
    ])
  })

  it('in a payment: not arrived while the wallet signs, maybe arrived once it was sent, whatever the response', async () => {
    const key = privateKeySigner(generatePrivateKey())
    const offered = () => new Response(null, { status: 402, headers: createPaymentRequired() })
    const unsigned = createScripted([offered()], {
      wallet: {
        ...key,
        signTypedData: async () =>
          new Promise(() => queueMicrotask(() => unsigned.controller.abort())),
      } as typeof key,
    })
    expect(
      summarizeError(await catchError(unsigned.farebox.topUp(5, { signal: unsigned.signal }))),
    ).toEqual(['aborted', 1, false])
    let responses = 0
    const paid = createScripted(
      [offered(), createJsonResponse(504, { error: 'The payment may have been settled' })],
      {
        wallet: key,
        onEvent: ({ type }) =>
          void (
            type === 'response' &&
            ++responses === 2 &&
            setImmediate(() => paid.controller.abort())
          ),
      },
    )
    expect(
      summarizeError(await catchError(paid.farebox.topUp(5, { signal: paid.signal }))),
    ).toEqual(['aborted', 1, true])
  })
})

describe('an abort during an automatic top-up', () => {
  const wallet = privateKeySigner(generatePrivateKey())
  const poor = () => createJsonResponse(402, { error: 'Payment required' })
  const offered = () => new Response(null, { status: 402, headers: createPaymentRequired() })
  const topUp = { amountUsd: 5, maxUsdPerDay: 5 }

  it.each<[string, readonly Reply[]]>([
    ['the discovery is under way', [poor(), 'never']],
    ['the payment is under way', [poor(), offered(), 'never']],
  ])(
    'takes effect at once, with the code aborted of the operation that was called, when %s',
    async (_when, script) => {
      const { farebox, controller, signal, sends } = createScripted(script, {
        wallet,
        payments: { topUp },
      })
      const running = catchError(farebox.createSpeech({ input: 'Hello' }, { signal }))
      await expect.poll(sends).toBe(script.length)
      controller.abort()
      const ended = await Promise.race([
        running,
        new Promise(
          (resolve) => void setImmediate(() => setImmediate(() => resolve('still under way'))),
        ),
      ])
      expect(summarizeError(ended)).toEqual(['aborted', 1, false])
      expect([isFareboxError(ended, 'createSpeech'), isFareboxError(ended, 'topUp')]).toEqual([
        true,
        false,
      ])
      expect(getEventListeners(signal, 'abort')).toEqual([])
    },
  )

  it('pays nothing if it comes before the payment', async () => {
    const played = createScripted([poor(), offered(), 'never'], {
      wallet: {
        ...wallet,
        signTypedData: async () => (
          queueMicrotask(() => played.controller.abort()),
          new Promise(() => undefined)
        ),
      } as typeof wallet,
      payments: { topUp },
    })
    expect(
      summarizeError(
        await catchError(
          played.farebox.createSpeech({ input: 'Hello' }, { signal: played.signal }),
        ),
      ),
    ).toEqual(['aborted', 1, false])
    await new Promise((resolve) => void setImmediate(resolve))
    expect(played.sends()).toBe(2)
  })
})

describe('the error of an automatic top-up', () => {
  it('is an error of the operation that was called, caused by the error of the top-up', async () => {
    const poor = () => createJsonResponse(402, { error: 'Payment required' })
    const rejected = createJsonResponse(400, { error: 'No payments here', code: 'NO_PAYMENTS' })
    const wallet = privateKeySigner(generatePrivateKey())
    const { farebox } = createScripted([poor(), rejected], {
      wallet,
      payments: { topUp: { amountUsd: 5, maxUsdPerDay: 5 } },
    })
    const error = await catchError(farebox.createSpeech({ input: 'Hello' }))
    expect(isFareboxError(error, 'createSpeech')).toBe(true)
    expect(isFareboxError(error, 'createSpeech', 400)).toBe(false)
    expect(error).toMatchObject({
      message: 'createSpeech: topUp: 400 No payments here',
      code: 'NO_PAYMENTS',
      attempts: 1,
      mayHaveArrived: false,
      cause: {
        name: 'FareboxError',
        operation: 'topUp',
        status: 400,
        body: { code: 'NO_PAYMENTS' },
      },
    })
  })

  it('is invalid_input if the amount cannot be paid', async () => {
    for (const amount of [NaN, 0, -1, Infinity]) {
      const { farebox, sends } = createScripted([], {
        wallet: privateKeySigner(generatePrivateKey()),
      })
      expect(await catchError(farebox.topUp(amount))).toMatchObject({
        name: 'FareboxError',
        code: 'invalid_input',
        operation: 'topUp',
        attempts: 0,
      })
      expect(sends()).toBe(0)
    }
  })
})

function summarizeError(error: unknown): unknown {
  return error instanceof FareboxError ? [error.code, error.attempts, error.mayHaveArrived] : error
}

async function catchError(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it did not throw'),
    (error: unknown) => error,
  )
}

function createNetworkError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('socket'), { code }) })
}

function createJsonResponse(status: number, body: object): Response {
  return Response.json(body, { status })
}
