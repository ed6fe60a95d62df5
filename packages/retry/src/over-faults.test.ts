import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fetchSend, compose, type Call } from '@farebox/middleware'
import { deepTest } from '@farebox/testing/rounds'
import { afterEach, describe, expect, it } from 'vitest'
import {
  startFaultServer,
  type Fault,
  type FaultServer,
  type Script,
} from '@farebox/testing/fault-server'
import { failureBudget } from './failure-budget.js'
import { rateLimit } from './rate-limit.js'
import { retry } from './retry.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let server: FaultServer | undefined
afterEach(async () => server?.close())

const fast = { random: () => 0 }
const createStack = () =>
  compose(fetchSend(globalThis.fetch), [retry(fast), rateLimit(), failureBudget()])

async function startCall(script: Script, method: 'GET' | 'POST', rest: Partial<Call> = {}) {
  server = await startFaultServer(script)
  const body = method === 'POST' ? { body: '{"input":"Hello"}' } : {}
  const call: Call = {
    url: `${server.origin}/audio/speech`,
    method,
    headers: new Headers(),
    ...body,
    ...rest,
  }
  return { server, call, run: () => createStack()(call) }
}

const ok: Fault = { kind: 'response' }
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('resolved'),
    (error: unknown) => error,
  )

describe('how often the server receives', () => {
  it.each<[string, 'GET' | 'POST', Fault, number]>([
    ['a connection that is cut', 'GET', { kind: 'reset' }, 2],
    ['a connection that is cut', 'POST', { kind: 'reset' }, 1],
    ['malformed headers', 'GET', { kind: 'malformed-headers' }, 2],
    ['malformed headers', 'POST', { kind: 'malformed-headers' }, 1],
    ['huge headers', 'GET', { kind: 'huge-headers' }, 2],
    ['huge headers', 'POST', { kind: 'huge-headers' }, 1],
    ['a 500', 'POST', { kind: 'response', status: 500 }, 2],
    ['a 503 with an endless body of zeros', 'POST', { kind: 'gzip-bomb', status: 503 }, 2],
    ['a 503 with a slow body', 'POST', { kind: 'slow-body', ms: 10, status: 503 }, 2],
    ['a 429', 'POST', { kind: 'response', status: 429 }, 2],
    ['a 429 with an endless body of zeros', 'POST', { kind: 'gzip-bomb', status: 429 }, 2],
    ['a 402', 'POST', { kind: 'response', status: 402 }, 1],
    ['a 409', 'POST', { kind: 'response', status: 409 }, 1],
    [
      'a 409 with Retry-After',
      'POST',
      { kind: 'response', status: 409, headers: { 'retry-after': '0' } },
      2,
    ],
    [
      'a 402 with Retry-After',
      'POST',
      { kind: 'response', status: 402, headers: { 'retry-after': '0' } },
      1,
    ],
    ['an HTML page', 'GET', { kind: 'html' }, 1],
    ['a cut in the body', 'GET', { kind: 'reset-mid-body' }, 1],
    ['a cut after the headers', 'GET', { kind: 'reset-after-headers' }, 1],
    ['a body that ends early', 'GET', { kind: 'truncated' }, 1],
  ])('%s, %s', async (_name, method, fault, sends) => {
    const { server, run } = await startCall([fault, ok], method)
    const result = await run().catch((error: unknown) => error)
    if (result instanceof Response) await result.body?.cancel().catch(() => undefined)
    expect(server.heard).toHaveLength(sends)
  })

  it('a lost POST says that it may have arrived', async () => {
    const { run } = await startCall([{ kind: 'reset' }], 'POST')
    expect(await catchError(run())).toMatchObject({
      code: 'lost_response',
      mayHaveArrived: true,
      attempts: 1,
    })
  })

  it('a refused connection says that it was not sent', async () => {
    const { server, run } = await startCall([ok], 'POST')
    await server.close()
    expect(await catchError(run())).toMatchObject({
      code: 'not_sent',
      mayHaveArrived: false,
      attempts: 3,
    })
  })

  it('the body of a multipart form is the same in all attempts except for its boundary', async () => {
    const form = new FormData()
    form.set('file', new Blob(['Fares']), 'fares.txt')
    const { server, run } = await startCall([{ kind: 'response', status: 500 }, ok], 'POST', {
      body: form,
    })
    await run()
    const [first, second] = server.heard.map(({ body, headers }) =>
      body.replaceAll(findBoundary(headers['content-type']), 'B'),
    )
    expect(first).toContain('Fares')
    expect(second).toBe(first)
  })

  it('responses that are not returned leave no connection open', async () => {
    const { server, run } = await startCall(
      [{ kind: 'slow-body', ms: 5, status: 503 }, { kind: 'gzip-bomb', status: 503 }, ok],
      'GET',
    )
    await (await run()).text()
    await expect.poll(() => server.busy()).toBe(0)
  })
})

describe('an abort', () => {
  /**
   * In turns of the event loop, because a busy machine makes milliseconds unreliable: a turn waits
   * for no timer, and takes far less time than one.
   */
  const fewTurns = 3
  async function turnsUntilSettled(
    work: (signal: AbortSignal) => Promise<unknown>,
    before: () => Promise<unknown>,
  ): Promise<number> {
    const controller = new AbortController()
    const reason = new Error('enough')
    const running = catchError(work(controller.signal))
    await before()
    collect()
    const errors: unknown[] = []
    void running.then((error) => errors.push(error))
    controller.abort(reason)
    let turns = 0
    while (errors.length === 0 && turns < 100) {
      turns += 1
      await new Promise((resolve) => void setImmediate(resolve))
    }
    expect(errors).toEqual([reason])
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    return turns
  }
  const received =
    (server: FaultServer, count = 1) =>
    () =>
      expect.poll(() => server.heard.length).toBe(count)

  it('ends a wait within 20 ms on an idle machine, after a garbage collection', async () => {
    const { server, call } = await startCall(
      [{ kind: 'response', status: 503, headers: { 'retry-after': '30' } }],
      'POST',
    )
    expect(
      await turnsUntilSettled((signal) => createStack()({ ...call, signal }), received(server)),
    ).toBeLessThanOrEqual(fewTurns)
  })

  it('ends a wait in a queue within 20 ms on an idle machine, after a garbage collection', async () => {
    const { server, call } = await startCall([{ kind: 'slow-headers', ms: Infinity }], 'POST')
    const send = createStack()
    const others = new AbortController()
    const busy = Array.from({ length: 4 }, () =>
      send({ ...call, signal: others.signal }).catch(() => undefined),
    )
    await received(server, 4)()
    expect(
      await turnsUntilSettled(
        (signal) => send({ ...call, signal }),
        async () => undefined,
      ),
    ).toBeLessThanOrEqual(fewTurns)
    others.abort(new Error('enough'))
    await Promise.all(busy)
    expect(server.heard).toHaveLength(4)
  })

  it('ends a request in flight within 20 ms on an idle machine, after a garbage collection', async () => {
    const { server, call } = await startCall([{ kind: 'slow-headers', ms: Infinity }], 'POST')
    expect(
      await turnsUntilSettled((signal) => createStack()({ ...call, signal }), received(server)),
    ).toBeLessThanOrEqual(fewTurns)
  })

  it('ends a body within 20 ms on an idle machine, after a garbage collection', async () => {
    const { call } = await startCall([{ kind: 'slow-body', ms: 5 }], 'GET')
    let begun = false
    const read = async (signal: AbortSignal) => {
      const response = await createStack()({ ...call, signal })
      begun = true
      return response.text()
    }
    expect(
      await turnsUntilSettled(read, () => expect.poll(() => begun).toBe(true)),
    ).toBeLessThanOrEqual(fewTurns)
  })
})

describe('nothing accumulates', () => {
  it('a long-lived signal keeps no listener after a thousand calls, and Node prints no warning', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    const { signal } = new AbortController()
    const send = compose(
      async () => new Response('{}'),
      [retry(fast), rateLimit(), failureBudget()],
    )
    const call: Call = {
      url: 'http://api.example/models',
      method: 'GET',
      headers: new Headers(),
      signal,
    }
    const responses = await Promise.all(Array.from({ length: 1000 }, () => send(call)))
    await new Promise((resolve) => void setImmediate(resolve))
    process.off('warning', warn)
    expect(responses).toHaveLength(1000)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(warnings).toEqual([])
  })

  deepTest('the heap does not grow between two thousand and twenty thousand calls', async () => {
    const send = compose(
      async () => new Response('{}'),
      [retry(fast), rateLimit(), failureBudget()],
    )
    const call: Call = {
      url: 'http://api.example/models',
      method: 'GET',
      headers: new Headers(),
      signal: new AbortController().signal,
    }
    const after = async (calls: number) => {
      for (let index = 0; index < calls; index++) await send(call)
      collect()
      return process.memoryUsage().heapUsed
    }
    const early = await after(2000)
    expect((await after(18_000)) - early).toBeLessThan(2_000_000)
  })
})

function findBoundary(contentType: string | undefined): string {
  return /boundary=(\S+)/.exec(contentType ?? '')?.[1] ?? expect.fail('no boundary')
}
