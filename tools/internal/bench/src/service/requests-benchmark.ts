import { computeMedian, showTable } from '../measure.js'
import { load, serveCheckout, type Load, type LoadRequest } from './load.js'

const headers = { authorization: 'Bearer k' }
const get = (): LoadRequest => ({ path: '/api/v1/models/tts-gradium-v1', headers })

/** A charged request, as the administrator. */
export const createSpeechCall = (): LoadRequest => ({
  path: '/api/v1/audio/speech',
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: '{"input":"The tram is late."}',
})

/** Requests a second, latency and memory of the service beside a bare Hono server. */
export async function measureRequests(
  requests: number,
  rounds: number,
  save: boolean,
): Promise<void> {
  const [bare, service] = [await serveCheckout('bare'), await serveCheckout('service')]
  for (const { port } of [bare, service])
    await load(port, get, { count: Math.min(5_000, requests) })
  const before = await service.usage()
  const ofBare: Load[] = []
  const ofService: Load[] = []
  for (let round = 0; round < rounds; round++) {
    const count = Math.round(requests / rounds)
    ofBare.push(await load(bare.port, get, { count }))
    ofService.push(await load(service.port, get, { count }))
  }
  const after = await service.usage()
  const charged = await loadCharged(service.port, requests, rounds)
  bare.stop()
  service.stop()
  const base = findMedian(ofBare, 'rate')
  console.log(
    `${requests} requests each to the first two, over 32 connections, one client process; servers take turns.`,
  )
  const table = {
    'a bare Hono server, GET': toRow(ofBare, base),
    'Farebox: GET /models/{id}': toRow(ofService, base),
    'Farebox: POST /audio/speech, charged on PGlite': toRow(charged, base),
  }
  showTable(table, save && 'service-requests')
  console.log(
    `Memory of the service before and after them: heap ${formatMegabytes(before.heap)} and ${formatMegabytes(after.heap)}, resident ${formatMegabytes(before.rss)} and ${formatMegabytes(after.rss)}.`,
  )
}

/** Charged requests, counted once their code is compiled: before that, a rate is of the compiler. */
async function loadCharged(port: number, requests: number, rounds: number): Promise<Load[]> {
  await load(port, createSpeechCall, { count: Math.min(3_000, requests) })
  const count = Math.max(200, Math.round(requests / 10 / rounds))
  const all: Load[] = []
  for (let round = 0; round < rounds; round++)
    all.push(await load(port, createSpeechCall, { count }))
  return all
}

function toRow(all: readonly Load[], base: number): object {
  return {
    'requests/s': Math.round(findMedian(all, 'rate')),
    'p50, ms': Number(findMedian(all, 'p50').toFixed(2)),
    'p99, ms': Number(findMedian(all, 'p99').toFixed(2)),
    'rate / bare': Number((findMedian(all, 'rate') / base).toFixed(2)),
  }
}

function findMedian(all: readonly Load[], what: keyof Load): number {
  return computeMedian(all.map((one) => one[what]))
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`
}
