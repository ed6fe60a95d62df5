import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request of chat to a gateway. */
export type ChatTarget = {
  readonly url: string
  readonly headers: (index: number) => Readonly<Record<string, string>>
  readonly model: string
}

/** Milliseconds, and responses a second. */
type SteadyLoad = { readonly p50: number; readonly p99: number; readonly rate: number }

/** More open requests than this mean that the gateway is saturated. */
const maxOpen = 1_000

/**
 * Sends requests at a steady rate, whether or not earlier ones have their responses. A time counts
 * from the moment at which the request was due, so that a gateway that keeps clients waiting does
 * not look faster.
 */
export async function loadSteadily(
  { url, headers, model }: ChatTarget,
  {
    stream,
    rate,
    seconds,
  }: { readonly stream: boolean; readonly rate: number; readonly seconds: number },
): Promise<SteadyLoad> {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 })
  const body = JSON.stringify({
    model,
    messages: [{ role: 'user', content: 'Where does the last tram go?' }],
    max_tokens: 100,
    ...(stream && { stream: true }),
  })
  const times: number[] = []
  const open = new Set<number>()
  const failures: string[] = []
  const start = performance.now()
  const send = (index: number, due: number) => {
    open.add(index)
    const sent = request(
      url,
      {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers(index) },
      },
      (response) => {
        let text = ''
        response.on('data', (part: Buffer) => (text += part.toString('latin1')))
        response.on('end', () => {
          open.delete(index)
          times.push(performance.now() - due)
          if (response.statusCode !== 200 || (stream && !text.includes('[DONE]')))
            failures.push(`${response.statusCode} ${text.slice(0, 200)}`)
        })
      },
    )
    sent.on('error', (error) => {
      open.delete(index)
      failures.push(error.message)
    })
    sent.end(body)
  }
  const count = rate * seconds
  for (let index = 0; index < count && failures.length === 0;) {
    const now = performance.now() - start
    for (; index < count && (index * 1000) / rate <= now; index++) {
      if (open.size >= maxOpen) continue
      send(index, start + (index * 1000) / rate)
    }
    await sleep(1)
  }
  while (open.size > 0) await sleep(5)
  const took = (performance.now() - start) / 1000
  agent.destroy()
  if (failures.length > 0) throw new Error(`${url}: ${failures[0]}`)
  times.sort((a, b) => a - b)
  const at = (part: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? NaN
  return { p50: at(0.5), p99: at(0.99), rate: times.length / took }
}

/** Milliseconds of processor time that a process of this machine has used, or NaN. */
export function readProcessorMs(pid: number | undefined): number {
  try {
    // the name may have spaces; after it, the 12th and 13th fields count hundredths of a second
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return NaN
  }
}
