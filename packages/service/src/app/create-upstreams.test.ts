import fc from 'fast-check'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminKey, origin, startService, type Harness } from '../../test/harness.js'
import {
  scripts,
  startScripted,
  type Script,
  type ScriptedUpstream,
} from '../../test/scripted-upstream.js'
import { createUpstreamSpeech } from '../domain/speech/upstream-speech.js'
import { repeats } from '../platform/upstream/upstream-settings.js'
import { createUpstreams, type GivenUpstream, type Upstreams } from './create-upstreams.js'

let first: ScriptedUpstream
let second: ScriptedUpstream
let upstreams: Upstreams
let farebox: Harness
/** Time that passes with sleep alone. */
const time = { now: 0 }

beforeAll(async () => {
  ;[first, second] = [await startScripted(), await startScripted()]
  const sleep = async (milliseconds: number) => {
    time.now += milliseconds
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  upstreams = createUpstreams([], { ticks: () => time.now, sleep, random: () => 0 })
  farebox = await startService({
    upstreams,
    textParser: upstreams.textParser,
    adminCreditUsd: 1_000,
  })
})
afterAll(async () => {
  first.close()
  second.close()
  await farebox.service.close()
})
beforeEach(() => {
  for (const one of [first, second]) {
    one.script = scripts.ok
    one.received.length = 0
  }
  farebox.troubles.length = 0
  // circuits and rests of the case before are over
  time.now += 1_000_000
})

const createSpeechUpstream = (
  name: string,
  { origin }: ScriptedUpstream,
  changes: Partial<GivenUpstream> = {},
): GivenUpstream => ({
  name,
  capability: 'speech',
  url: `${origin}/v1`,
  ...changes,
})

const createSpeechInit = (model: string) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
  body: JSON.stringify({ input: 'The tram is late.', response_format: 'wav', model }),
})
const createSpeechRequest = () =>
  new Request(`${origin}/api/v1/audio/speech`, createSpeechInit('tts-kokoro'))
const say = (model = 'tts-kokoro') =>
  farebox.call('createSpeech', '/audio/speech', createSpeechInit(model))

/** What the last request left in the ledger. */
async function measureCost(work: () => Promise<unknown>): Promise<bigint> {
  const before = await farebox.ledger.balance('key:admin')
  await work()
  expect(await farebox.ledger.audit()).toEqual([])
  return before - (await farebox.ledger.balance('key:admin'))
}

/** 17 characters at 3.5 USD a million. */
const price = 60n

describe('a request that an upstream fails', () => {
  const begins = [
    'resets the connection',
    'stalls',
    'stalls in the body',
    'responds 500',
    'responds with a page',
    'responds with nothing',
  ] as const
  const begun = begins.flatMap((script) => [
    { script, repeat: 'never' as const, status: /responds with/.test(script) ? 500 : 503 },
    { script, repeat: 'free' as const, status: 200 },
    { script, repeat: 'keyed' as const, status: 200 },
    { script, repeat: undefined, status: 200 },
  ])
  const notBegun = (['responds 429', 'responds 503', 'responds 401'] as const).map((script) => ({
    script,
    repeat: 'never' as const,
    status: 200,
  }))

  it.each([
    ...begun,
    ...notBegun,
    { script: 'responds 400' as const, repeat: 'free' as const, status: 400 },
  ])(
    'because it $script, returns $status with repeat: $repeat, and is charged only on success',
    async ({ script, repeat, status }) => {
      // only a script that stalls has a short time, since a busy machine may take long to respond
      const timeouts = script.startsWith('stalls') ? { timeouts: { firstByteMs: 100 } } : {}
      upstreams.replace([
        createSpeechUpstream('first', first, {
          ...(repeat && { repeat }),
          retries: 0,
          ...timeouts,
        }),
        createSpeechUpstream('second', second, { weight: 0 }),
      ])
      first.script = scripts[script]
      expect(await measureCost(async () => expect((await say()).status).toBe(status))).toBe(
        status === 200 ? price : 0n,
      )
      expect(second.received.length).toBe(status === 200 ? 1 : 0)
      // a busy machine may take longer to reach the upstream than a stall has
      if (!script.startsWith('stalls')) expect(first.received.length).toBe(1)
      expect(farebox.crashes).toEqual([])
    },
  )

  it('because nothing listens there, goes to the next upstream, whatever its repeat setting', async () => {
    const gone = await startScripted()
    gone.close()
    upstreams.replace([
      createSpeechUpstream('gone', gone),
      createSpeechUpstream('second', second, { weight: 0 }),
    ])
    expect(await measureCost(async () => expect((await say()).status).toBe(200))).toBe(price)
    expect(farebox.troubles).toEqual([
      'speech: Speech: gone could not be reached, or its response was cut off',
    ])
  })

  it.each([
    ['resets it', {}],
    ['breaks off before the stated length', { 'content-length': '8' }],
  ])(
    'because it %s in the body, is cut off and not sent to another upstream',
    async (_name, length) => {
      upstreams.replace([
        createSpeechUpstream('first', first, { repeat: 'free' }),
        createSpeechUpstream('second', second, { weight: 0 }),
      ])
      let cut = () => undefined as void
      first.script = (response) => {
        response.writeHead(200, { 'content-type': 'audio/wav', ...length }).write('RIFF')
        cut = () => void response.destroy()
      }
      const read = async () => {
        const reader = (await farebox.service.fetch(createSpeechRequest())).body?.getReader()
        expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('RIFF')
        cut()
        await expect(reader?.read()).rejects.toThrow()
      }
      expect(await measureCost(read)).toBe(0n)
      expect([first.received.length, second.received.length]).toEqual([1, 0])
    },
  )

  it('is retried there with the same key if the upstream honors idempotency keys', async () => {
    upstreams.replace([
      createSpeechUpstream('first', first, { repeat: 'keyed', retries: 2 }),
      createSpeechUpstream('second', second, { weight: 0 }),
    ])
    const responses: Script[] = [
      scripts['resets the connection'],
      scripts['responds 500'],
      scripts.ok,
    ]
    first.script = (...exchange) => responses.shift()?.(...exchange)
    expect(await measureCost(async () => expect((await say()).status).toBe(200))).toBe(price)
    expect(second.received).toEqual([])
    expect(new Set(first.received.map(({ key }) => key)).size).toBe(1)
    expect(first.received[0]?.key).toMatch(/^[\da-f-]{36}$/)
  })

  it('is retried there after the requested delay', async () => {
    upstreams.replace([createSpeechUpstream('first', first)])
    const responses: Script[] = [scripts['responds 503'], scripts.ok]
    first.script = (...exchange) => responses.shift()?.(...exchange)
    expect((await say()).status).toBe(200)
    first.script = (response) => response.writeHead(429, { 'retry-after': '3' }).end()
    const before = time.now
    expect((await say()).status).toBe(503)
    expect(time.now - before).toBe(3_000)
  })
})

describe('upstreams', () => {
  it('are chosen by model and receive their own names for models and voices', async () => {
    upstreams.replace([
      createSpeechUpstream('first', first, {
        models: ['tts-kokoro'],
        modelNames: { 'tts-kokoro': 'kokoro' },
        voiceNames: { af_sky: 'alloy' },
      }),
    ])
    const response = await say()
    expect(response.headers.get('x-farebox-backend')).toBe('upstream')
    expect(JSON.parse(String(first.received[0]?.body))).toMatchObject({
      model: 'kokoro',
      voice: 'alloy',
    })
    expect((await say('tts-orpheus')).json).toMatchObject({ code: 'MODEL_AT_CAPACITY' })
    expect(first.received).toHaveLength(1)
  })

  it('receive only as many concurrent requests as they accept; the others wait', async () => {
    upstreams.replace([createSpeechUpstream('first', first, { concurrency: 1 })])
    let atOnce = 0
    let most = 0
    first.script = (...exchange) => {
      most = Math.max(most, ++atOnce)
      setImmediate(() => {
        atOnce--
        scripts.ok(exchange[0])
      })
    }
    const statuses = await Promise.all(Array.from({ length: 3 }, async () => (await say()).status))
    expect(most).toBe(1)
    expect(statuses).toContain(200)
    expect(upstreams.states()).toMatchObject([{ inFlight: 0 }])
  })

  it('that fail are skipped for a while, then tried with one request', async () => {
    const breaker = { failures: 2, openMs: 10_000 }
    upstreams.replace([
      createSpeechUpstream('first', first, { breaker, retries: 0 }),
      createSpeechUpstream('second', second, { weight: 0 }),
    ])
    first.script = scripts['responds 503']
    for (let call = 0; call < 4; call++) expect((await say()).status).toBe(200)
    expect([first.received.length, second.received.length]).toEqual([2, 4])
    expect(upstreams.states().map(({ circuit }) => circuit)).toEqual(['open', 'closed'])
    expect(await farebox.metrics()).toContain(
      'farebox_upstream_circuit_open{capability="speech",upstream="first"} 1\n',
    )
    time.now += 10_000
    first.script = scripts.ok
    for (let call = 0; call < 2; call++) expect((await say()).status).toBe(200)
    expect([first.received.length, second.received.length]).toEqual([4, 4])
    expect(upstreams.states().map(({ circuit }) => circuit)).toEqual(['closed', 'closed'])
    const metrics = await farebox.metrics()
    expect(metrics).toMatch(
      /farebox_upstream_calls_total\{capability="speech",upstream="first",outcome="failed"\} \d+/,
    )
    expect(metrics).toMatch(
      /farebox_upstream_duration_seconds_count\{capability="speech",upstream="second"\} \d+/,
    )
  })

  it('that fail and then deliver again take other requests during a long one', async () => {
    upstreams.replace([
      createSpeechUpstream('only', first, { breaker: { failures: 1, openMs: 1_000 }, retries: 0 }),
    ])
    first.script = scripts['responds 503']
    expect((await say()).status).toBe(503)
    time.now += 1_000
    let finish = () => {}
    first.script = (response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' }).write('RI')
      finish = () => response.end('FF')
    }
    const long = await farebox.service.fetch(createSpeechRequest())
    first.script = scripts.ok
    expect((await say()).status).toBe(200)
    finish()
    expect(await long.text()).toBe('RIFF')
  })

  deepTest('make the service not ready when the circuit of each is open', async () => {
    const ready = async () => (await farebox.service.fetch(new Request(`${origin}/readyz`))).status
    const breaker = { failures: 1, openMs: 10_000 }
    upstreams.replace([
      createSpeechUpstream('a', first, { breaker, retries: 0 }),
      createSpeechUpstream('b', second, { breaker, retries: 0, models: ['tts-orpheus'] }),
    ])
    ;[first.script, second.script] = [scripts['responds 503'], scripts['responds 503']]
    expect((await say()).status).toBe(503)
    expect(await ready()).toBe(200)
    expect((await say('tts-orpheus')).status).toBe(503)
    expect(await ready()).toBe(503)
    // a request may try them now
    time.now += 10_000
    expect(await ready()).toBe(200)
  })

  it('that are replaced finish their requests', async () => {
    upstreams.replace([createSpeechUpstream('first', first)])
    let finish = () => undefined as void
    const arrived = new Promise<void>((resolve) => {
      first.script = (response) => {
        finish = () => void response.writeHead(200, { 'content-type': 'audio/wav' }).end('RIFF')
        resolve()
      }
    })
    const answer = say()
    await arrived
    upstreams.replace([
      createSpeechUpstream('first', first, { concurrency: 1 }),
      createSpeechUpstream('second', second),
    ])
    expect(upstreams.states().map(({ inFlight }) => inFlight)).toEqual([1, 0])
    finish()
    expect((await answer).text).toBe('RIFF')
    expect(upstreams.states().map(({ inFlight }) => inFlight)).toEqual([0, 0])
  })

  deepTest('that are all removed leave the work to this service', async () => {
    upstreams.replace([createSpeechUpstream('first', first)])
    upstreams.replace([])
    const response = await say()
    expect(response.status).toBe(200)
    expect(response.headers.get('x-farebox-backend')).toBe('embedded test model')
  })
})

describe('upstreams that parse documents', () => {
  const text = (name: string, { origin }: ScriptedUpstream): GivenUpstream => ({
    name,
    capability: 'text',
    url: `${origin}/api/v1`,
  })
  const parse = () => {
    const body = new FormData()
    body.append('file', new Blob(['Tram fares']), 'a.txt')
    return farebox.call('parseText', '/augment/text-parser', {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
      body,
    })
  }
  const read: ScriptedUpstream['script'] = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"text":"Tram fares","tokens":3}')

  it('parse a document and charge it once', async () => {
    upstreams.replace([text('first', first), { ...text('second', second), weight: 0 }])
    first.script = scripts['responds 503']
    second.script = read
    expect(
      await measureCost(async () =>
        expect((await parse()).json).toEqual({ text: 'Tram fares', tokens: 3 }),
      ),
    ).toBe(10_000n)
    expect(second.received.map(({ path }) => path)).toEqual(['POST /api/v1/augment/text-parser'])
  })

  it.each([
    ['responds 400', 400],
    ['responds 401', 500],
    ['responds 429', 503],
    ['responds 503', 503],
    ['resets the connection', 503],
    ['responds with a page', 500],
  ] as const)('that %s lead to %d and charge nothing', async (script, status) => {
    upstreams.replace([text('first', first)])
    first.script = scripts[script]
    expect(await measureCost(async () => expect((await parse()).status).toBe(status))).toBe(0n)
    expect(farebox.crashes).toEqual([])
  })
})

describe('whatever upstreams do', () => {
  type Name = Exclude<keyof typeof scripts, 'stalls' | 'stalls in the body'>
  const names = Object.keys(scripts).filter((name): name is Name => !name.startsWith('stalls'))
  const rejections: readonly Name[] = ['responds 429', 'responds 503', 'responds 401']
  const script = fc.constantFrom(...names)
  const plan = fc.record({
    scripts: fc.array(fc.tuple(script, script), { minLength: 1, maxLength: 4 }),
    repeat: fc.constantFrom(...repeats),
    retries: fc.integer({ min: 0, max: 2 }),
  })

  it('charges a success once and a failure never, and retries work that may be billed twice only as configured', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ scripts: rounds, repeat, retries }) => {
        time.now += 1_000_000
        // a circuit that opens would hide what is sent again
        const changes = { repeat, retries, breaker: { failures: 1_000 } }
        upstreams.replace([
          createSpeechUpstream('first', first, changes),
          createSpeechUpstream('second', second, { ...changes, weight: 0 }),
        ])
        for (const [one, other] of rounds) {
          const done: Name[] = []
          const asked: ScriptedUpstream[] = []
          for (const [upstream, name] of [
            [first, one],
            [second, other],
          ] as const) {
            upstream.received.length = 0
            upstream.script = (...exchange) => {
              done.push(name)
              asked.push(upstream)
              ;(scripts[name] as Script)(...exchange)
            }
          }
          let isWhole = false
          const cost = await measureCost(async () => {
            isWhole = await say().then(
              ({ status }) => status === 200,
              () => false,
            )
          })
          expect(cost).toBe(isWhole ? price : 0n)
          expect(isWhole).toBe(done.at(-1) === 'ok')
          // all but the last were sent again
          const resent = done.slice(0, -1)
          if (repeat === 'never')
            expect(resent.filter((name) => !rejections.includes(name))).toEqual([])
          if (repeat === 'failover') {
            // an upstream whose response was lost is not asked again
            for (const [index, name] of resent.entries())
              if (!rejections.includes(name))
                expect(asked.slice(index + 1)).not.toContain(asked[index])
          }
          if (repeat === 'keyed') {
            // after a lost response, the same upstream is asked with the same key, and then another
            for (const { received } of [first, second])
              expect(new Set(received.map(({ key }) => key)).size).toBeLessThanOrEqual(1)
            const lost = resent.findIndex((name) => !rejections.includes(name))
            if (
              lost >= 0 &&
              asked.slice(0, lost + 1).filter((one) => one === asked[lost]).length <= retries
            )
              expect(asked[lost + 1]).toBe(asked[lost])
          }
          for (const name of ['responds 400', 'ok'] as const) expect(resent).not.toContain(name)
        }
        expect(farebox.crashes).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

it('cuts off an endless body and charges nothing', async () => {
  const endless = createUpstreamSpeech({ url: `${first.origin}/v1`, maxBytes: 1_000_000 })
  first.script = (response) => {
    response.writeHead(200, { 'content-type': 'audio/wav' })
    const more = (): void => {
      while (response.write(Buffer.alloc(65_536)));
      response.once('drain', more)
    }
    more()
  }
  const request = {
    text: 'Hi',
    caller: 'a',
    model: 'tts-kokoro',
    voice: 'af_sky',
    format: 'wav',
    speed: 1,
    streaming: false,
  } as const
  let length = 0
  const read = async () => {
    for await (const { bytes } of endless.speak(request, new AbortController().signal))
      length += bytes.byteLength
  }
  await expect(read()).rejects.toMatchObject({
    trouble: 'Speech: the upstream gave more than 1000000 bytes',
  })
  expect(length).toBeLessThanOrEqual(1_000_000)
})
