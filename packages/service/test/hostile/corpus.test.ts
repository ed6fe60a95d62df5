import { setImmediate } from 'node:timers/promises'
import { countRounds, sampleCases } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTextParser } from '../../src/domain/text/text-parser.js'
import { adminKey, origin, startService, type Harness } from '../harness.js'
import { corpus, seeds, type HostileInput } from './corpus.js'
import { measureWork, type WorkMeasurement } from './measure-work.js'
import { mutateBytes } from './mutations.js'

/** No request delays another by more than this on an idle machine, or takes more memory. */
const most = { stallMs: 250, addedMb: 200 }

let farebox: Harness
beforeAll(async () => {
  farebox = await startService({ textParser: createTextParser() })
  // what is compiled and loaded with a first request is no work of the second
  for (const make of Object.values(seeds)) await send(await prepareRequest(make()))
})
afterAll(() => farebox.service.close())

/** A request as a socket gives it: its bytes are there before it is sent. */
type PreparedRequest = { readonly path: string; readonly body: Uint8Array; readonly type: string }

async function prepareRequest({ to, bytes }: HostileInput): Promise<PreparedRequest> {
  const data = Buffer.from(bytes)
  if (to === 'form')
    return { path: '/augment/text-parser', body: data, type: 'multipart/form-data; boundary=b' }
  if (to === 'json') return { path: '/video/quote', body: data, type: 'application/json' }
  if (to === 'document') {
    const form = new FormData()
    form.append('file', new Blob([data]), 'a')
    const request = new Response(form)
    return {
      path: '/augment/text-parser',
      body: new Uint8Array(await request.arrayBuffer()),
      type: request.headers.get('content-type') ?? '',
    }
  }
  const order = {
    model: 'topaz-video-upscale',
    duration: 'Auto',
    video_url: `data:video/mp4;base64,${data.toString('base64')}`,
  }
  return {
    path: '/video/quote',
    body: Buffer.from(JSON.stringify(order)),
    type: 'application/json',
  }
}

async function send({ path, body, type }: PreparedRequest): Promise<number> {
  // neither limits nor blocks stand in the way
  farebox.clock.time += 61_000
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': type }
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    body: toStream(body),
    headers,
    duplex: 'half',
  }
  const request = new Request(`${origin}/api/v1${path}`, init)
  const response = await farebox.service.fetch(request, { remoteAddress: '192.0.2.1' })
  await response.body?.cancel()
  return response.status
}

/** A piece for each turn of the event loop, as a socket has them. */
function toStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      await setImmediate()
      controller.enqueue(bytes.slice(sent, (sent += 65_536)))
      if (sent >= bytes.length) controller.close()
    },
  })
}

/**
 * What the work itself costs. A collection of garbage, or another program, falls into some of the
 * runs; so a run is repeated while it seems too slow, a few times.
 */
async function measureMin<T>(work: () => Promise<T>): Promise<WorkMeasurement<T>> {
  const runs = [await measureWork(work)]
  const stallMs = () => Math.min(...runs.map((run) => run.stallMs))
  while (stallMs() >= most.stallMs && runs.length < 8) runs.push(await measureWork(work))
  const [first] = runs as [WorkMeasurement<T>]
  return { ...first, stallMs: stallMs(), addedMb: Math.max(...runs.map((run) => run.addedMb)) }
}

describe('untrusted bytes', () => {
  it.each(sampleCases(corpus))(
    'are parsed or rejected within the limits, without blocking others: $name',
    async ({ make }) => {
      const hostile = await prepareRequest(make())
      const { result, stallMs, addedMb } = await measureMin(() => send(hostile))
      expect([200, 400, 413]).toContain(result)
      expect(stallMs).toBeLessThan(most.stallMs)
      expect(addedMb).toBeLessThan(most.addedMb)
      expect(farebox.crashes).toEqual([])
    },
  )

  it.each(sampleCases(Object.keys(seeds)))(
    'with random damage are handled likewise: %s',
    async (name) => {
      const seed = seeds[name]?.()
      if (seed === undefined) return
      expect(await send(await prepareRequest(seed))).toBe(200)
      const damaged = await Promise.all(
        Array.from({ length: countRounds(25) }, (_, index) =>
          prepareRequest({ ...seed, bytes: mutateBytes(seed.bytes, index) }),
        ),
      )
      const { result, stallMs, addedMb } = await measureMin(async () => {
        const statuses = new Set<number>()
        for (const one of damaged) statuses.add(await send(one))
        return statuses
      })
      expect([...result].filter((status) => ![200, 400, 413, 415].includes(status))).toEqual([])
      expect(stallMs).toBeLessThan(most.stallMs)
      expect(addedMb).toBeLessThan(most.addedMb)
      expect(farebox.crashes).toEqual([])
      expect(await send(await prepareRequest(seed))).toBe(200)
    },
  )
})
