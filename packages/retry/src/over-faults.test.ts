import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fetchSend, compose, type Call } from '@farebox/middleware'
import { afterEach, describe, expect, it } from 'vitest'
import { startFaultServer, type Fault, type FaultServer, type Script } from '@farebox/testing/fault-server'
import { guard } from './guard.js'
import { pace } from './pace.js'
import { retry } from './retry.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let server: FaultServer | undefined
afterEach(async () => server?.close())

const quickly = { random: () => 0 }
const stack = () => compose(fetchSend(globalThis.fetch), [retry(quickly), pace(), guard()])

async function calling(script: Script, method: 'GET' | 'POST', rest: Partial<Call> = {}) {
  server = await startFaultServer(script)
  const body = method === 'POST' ? { body: '{"input":"Hello"}' } : {}
  const call: Call = { url: `${server.origin}/audio/speech`, method, headers: new Headers(), ...body, ...rest }
  return { server, call, run: () => stack()(call) }
}

const ok: Fault = { kind: 'answer' }
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )

describe('sends are counted by the server', () => {
  it.each<[string, 'GET' | 'POST', Fault, number]>([
    ['a connection that is cut', 'GET', { kind: 'reset' }, 2],
    ['a connection that is cut', 'POST', { kind: 'reset' }, 1],
    ['malformed headers', 'GET', { kind: 'malformed-headers' }, 2],
    ['malformed headers', 'POST', { kind: 'malformed-headers' }, 1],
    ['huge headers', 'GET', { kind: 'huge-headers' }, 2],
    ['huge headers', 'POST', { kind: 'huge-headers' }, 1],
    ['a 500', 'POST', { kind: 'answer', status: 500 }, 2],
    ['a 503 of zeros without end', 'POST', { kind: 'gzip-bomb', status: 503 }, 2],
    ['a 503 whose body drips', 'POST', { kind: 'slow-body', ms: 10, status: 503 }, 2],
    ['a 429', 'POST', { kind: 'answer', status: 429 }, 2],
    ['a 429 of zeros without end', 'POST', { kind: 'gzip-bomb', status: 429 }, 2],
    ['a 402', 'POST', { kind: 'answer', status: 402 }, 1],
    ['a 409', 'POST', { kind: 'answer', status: 409 }, 1],
    ['a 409 with Retry-After', 'POST', { kind: 'answer', status: 409, headers: { 'retry-after': '0' } }, 2],
    ['a 402 with Retry-After', 'POST', { kind: 'answer', status: 402, headers: { 'retry-after': '0' } }, 1],
    ['an HTML page', 'GET', { kind: 'html' }, 1],
    ['a cut in the body', 'GET', { kind: 'reset-mid-body' }, 1],
    ['a cut after the headers', 'GET', { kind: 'reset-after-headers' }, 1],
    ['a body that ends early', 'GET', { kind: 'truncated' }, 1],
  ])('%s, %s', async (_name, method, fault, sends) => {
    const { server, run } = await calling([fault, ok], method)
    const end = await run().catch((error: unknown) => error)
    if (end instanceof Response) await end.body?.cancel().catch(() => undefined)
    expect(server.heard).toHaveLength(sends)
  })

  it('a lost POST says that it may have arrived', async () => {
    const { run } = await calling([{ kind: 'reset' }], 'POST')
    expect(await failure(run())).toMatchObject({ code: 'lost_answer', mayHaveArrived: true, attempts: 1 })
  })

  it('a refused connection says that it was not sent', async () => {
    const { server, run } = await calling([ok], 'POST')
    await server.close()
    expect(await failure(run())).toMatchObject({ code: 'not_sent', mayHaveArrived: false, attempts: 3 })
  })

  it('the body of a multipart form is the same in all attempts, but for its boundary', async () => {
    const form = new FormData()
    form.set('file', new Blob(['Fares']), 'fares.txt')
    const { server, run } = await calling([{ kind: 'answer', status: 500 }, ok], 'POST', { body: form })
    await run()
    const [first, second] = server.heard.map(({ body, headers }) => body.replaceAll(boundaryOf(headers['content-type']), 'B'))
    expect(first).toContain('Fares')
    expect(second).toBe(first)
  })

  it('the answers that are not handed on leave no connection open', async () => {
    const { server, run } = await calling([{ kind: 'slow-body', ms: 5, status: 503 }, { kind: 'gzip-bomb', status: 503 }, ok], 'GET')
    await (await run()).text()
    await expect.poll(() => server.busy()).toBe(0)
  })
})

describe('an abort', () => {
  /** The milliseconds from the abort to the end. */
  /**
   * Turns of the event loop, since a busy machine has no milliseconds to give: a turn waits for no
   * timer, and takes far less than one.
   */
  const soon = 3
  async function settlesIn(work: (signal: AbortSignal) => Promise<unknown>, before: () => Promise<unknown>): Promise<number> {
    const controller = new AbortController()
    const reason = new Error('enough')
    const running = failure(work(controller.signal))
    await before()
    collect()
    const ended: unknown[] = []
    void running.then((error) => ended.push(error))
    controller.abort(reason)
    let turns = 0
    while (ended.length === 0 && turns < 100) {
      turns += 1
      await new Promise((resolve) => void setImmediate(resolve))
    }
    expect(ended).toEqual([reason])
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    return turns
  }
  const heard =
    (server: FaultServer, count = 1) =>
    () =>
      expect.poll(() => server.heard.length).toBe(count)

  it('ends a wait within 20 ms on an idle machine, after a garbage collection', async () => {
    const { server, call } = await calling([{ kind: 'answer', status: 503, headers: { 'retry-after': '30' } }], 'POST')
    expect(await settlesIn((signal) => stack()({ ...call, signal }), heard(server))).toBeLessThanOrEqual(soon)
  })

  it('ends a place in a queue within 20 ms on an idle machine, after a garbage collection', async () => {
    const { server, call } = await calling([{ kind: 'slow-headers', ms: Infinity }], 'POST')
    const send = stack()
    const others = new AbortController()
    const busy = Array.from({ length: 4 }, () => send({ ...call, signal: others.signal }).catch(() => undefined))
    await heard(server, 4)()
    expect(
      await settlesIn(
        (signal) => send({ ...call, signal }),
        async () => undefined,
      ),
    ).toBeLessThanOrEqual(soon)
    others.abort(new Error('enough'))
    await Promise.all(busy)
    expect(server.heard).toHaveLength(4)
  })

  it('ends a flight within 20 ms on an idle machine, after a garbage collection', async () => {
    const { server, call } = await calling([{ kind: 'slow-headers', ms: Infinity }], 'POST')
    expect(await settlesIn((signal) => stack()({ ...call, signal }), heard(server))).toBeLessThanOrEqual(soon)
  })

  it('ends a body within 20 ms on an idle machine, after a garbage collection', async () => {
    const { call } = await calling([{ kind: 'slow-body', ms: 5 }], 'GET')
    let begun = false
    const read = async (signal: AbortSignal) => {
      const response = await stack()({ ...call, signal })
      begun = true
      return response.text()
    }
    expect(await settlesIn(read, () => expect.poll(() => begun).toBe(true))).toBeLessThanOrEqual(soon)
  })
})

describe('nothing gathers', () => {
  it('a signal that lives as long as the program keeps no listener of a thousand calls, nor does Node warn of one', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    const { signal } = new AbortController()
    const send = compose(async () => new Response('{}'), [retry(quickly), pace(), guard()])
    const call: Call = { url: 'http://api.example/models', method: 'GET', headers: new Headers(), signal }
    const answers = await Promise.all(Array.from({ length: 1000 }, () => send(call)))
    await new Promise((resolve) => void setImmediate(resolve))
    process.off('warning', warn)
    expect(answers).toHaveLength(1000)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(warnings).toEqual([])
  })

  it('the heap after twenty thousand calls is the heap after two thousand', async () => {
    const send = compose(async () => new Response('{}'), [retry(quickly), pace(), guard()])
    const call: Call = { url: 'http://api.example/models', method: 'GET', headers: new Headers(), signal: new AbortController().signal }
    const after = async (calls: number) => {
      for (let index = 0; index < calls; index++) await send(call)
      collect()
      return process.memoryUsage().heapUsed
    }
    const early = await after(2000)
    expect((await after(18_000)) - early).toBeLessThan(2_000_000)
  })
})

function boundaryOf(contentType: string | undefined): string {
  return /boundary=(\S+)/.exec(contentType ?? '')?.[1] ?? expect.fail('there is no boundary')
}
