import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'

/** Requests a second, and milliseconds. */
export type Load = { readonly rate: number; readonly p50: number; readonly p99: number }

/** Bytes. */
export type Memory = { readonly rss: number; readonly heap: number }

export type LoadOptions = {
  readonly path: string
  readonly method?: string
  readonly body?: string
  readonly count: number
  readonly connections?: number
}

/** A server of serve.ts, in a process of its own. */
export type ServedProcess = { readonly port: number; readonly memory: () => Promise<Memory>; readonly stop: () => void }

export async function served(kind: 'bare' | 'service'): Promise<ServedProcess> {
  const child = fork(fileURLToPath(new URL('serve.js', import.meta.url)), [kind], { execArgv: ['--expose-gc'] })
  const { port } = await messageOf<{ readonly port: number }>(child)
  return {
    port,
    memory: () => {
      child.send('memory')
      return messageOf<Memory>(child)
    },
    stop: () => void child.kill(),
  }
}

async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const [message] = (await once(child, 'message')) as [Message]
  return message
}

/** Sends requests over some connections, each as soon as the one before it has its response. */
export async function load(port: number, { path, method = 'GET', body, count, connections = 32 }: LoadOptions): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { authorization: 'Bearer k', ...(body !== undefined && { 'content-type': 'application/json' }) }
  const times = new Float64Array(count)
  let next = 0
  let wrong = 0
  const send = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = performance.now()
      const sent = request({ host: '127.0.0.1', port, path, method, agent, headers }, (response) => {
        if (response.statusCode !== 200) wrong++
        response.on('data', () => undefined)
        response.on('end', () => {
          times[index] = performance.now() - start
          resolve()
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const start = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) await send(next++)
    }),
  )
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  if (wrong > 0) throw new Error(`${wrong} of ${count} responses to ${method} ${path} have another status than 200`)
  times.sort()
  const at = (part: number): number => times[Math.min(count - 1, Math.floor(count * part))] ?? NaN
  return { rate: count / seconds, p50: at(0.5), p99: at(0.99) }
}
