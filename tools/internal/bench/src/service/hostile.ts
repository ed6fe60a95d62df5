import { Agent, request } from 'node:http'
import { createFragmentedMp4 } from '@farebox/testing/mp4'
import type { LoadRequest } from './load.js'

/** Milliseconds of `/healthz` beside hostile traffic, and how often it was asked. */
export type HealthLatencies = {
  readonly p50: number
  readonly p99: number
  readonly most: number
  readonly asked: number
}

const asAdministrator = { authorization: 'Bearer k' }
const json = { 'content-type': 'application/json' }
const quote = (body: string): LoadRequest => ({
  path: '/api/v1/video/quote',
  method: 'POST',
  headers: json,
  body,
})
const parse = (body: string): LoadRequest => ({
  path: '/api/v1/augment/text-parser',
  method: 'POST',
  headers: { ...asAdministrator, 'content-type': 'multipart/form-data; boundary=b' },
  body,
})
const printFilePart = (content: string) =>
  `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${content}\r\n--b--\r\n`

/** What made a reader work or allocate once: a part of `packages/service/test/hostile`. */
const listHostileRequests = (): readonly LoadRequest[] => {
  const video = Buffer.from(createFragmentedMp4(2_000_000, { data: 100 })).toString('base64')
  const deep = '['.repeat(500_000)
  return [
    quote(
      JSON.stringify({
        model: 'topaz-video-upscale',
        duration: 'Auto',
        video_url: `data:video/mp4;base64,${video}`,
      }),
    ),
    quote(`{"consents":[${'{},'.repeat(300_000)}{}]}`),
    quote(`{"a":${deep}`),
    parse(printFilePart('a'.repeat(2_000_000))),
    parse(printFilePart(`%PDF-1.7\n1 0 obj${deep}endobj\ntrailer<</Root 1 0 R>>`)),
    parse(`--b\r\n${'a'.repeat(2_000_000)}`),
  ]
}

/**
 * Four strangers send hostile requests, each one after the other, until `count` of them have a
 * response. Meanwhile one caller asks for `/healthz`, again and again.
 */
export async function besiege(port: number, count: number): Promise<HealthLatencies> {
  const agent = new Agent({ keepAlive: true })
  const all = listHostileRequests()
  const over = new AbortController()
  let next = 0
  const siege = Promise.all(
    Array.from({ length: strangers }, async () => {
      while (next < count) await send(port, agent, all[next++ % all.length] as LoadRequest)
    }),
  ).finally(() => over.abort())
  const times: number[] = []
  while (!over.signal.aborted) {
    const start = performance.now()
    const status = await send(port, agent, { path: '/healthz' })
    times.push(performance.now() - start)
    if (status !== 200)
      throw new Error(`/healthz has the status ${status ?? 'none'} beside hostile traffic`)
  }
  await siege
  agent.destroy()
  times.sort((one, other) => one - other)
  const at = (part: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? NaN
  return { p50: at(0.5), p99: at(0.99), most: at(1), asked: times.length }
}

const strangers = 4

/** The status; undefined for a request that got no response. */
function send(
  port: number,
  agent: Agent,
  { body, ...options }: LoadRequest,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent, ...options }, (response) => {
      response.on('error', () => undefined).resume()
      response.on('close', () => resolve(response.statusCode))
    })
    sent.on('error', () => resolve(undefined))
    sent.end(body)
  })
}
