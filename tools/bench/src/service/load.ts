import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'

/**
 * A server of lib/serve.mjs.
 * @param {'bare' | 'service'} kind
 */
export async function served(kind) {
  const child = fork(fileURLToPath(new URL('serve.mjs', import.meta.url)), [kind], { execArgv: ['--expose-gc'] })
  const [{ port }] = await once(child, 'message')
  return {
    port,
    memory: async () => {
      child.send('memory')
      return /** @type {{ rss: number, heap: number }} */ ((await once(child, 'message'))[0])
    },
    stop: () => child.kill(),
  }
}

/**
 * Sends requests over some connections, each as soon as the one before is answered.
 * @param {number} port
 * @param {{ readonly path: string, readonly method?: string, readonly body?: string, readonly count: number, readonly connections?: number }} options
 */
export async function load(port, { path, method = 'GET', body, count, connections = 32 }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { authorization: 'Bearer k', ...(body !== undefined && { 'content-type': 'application/json' }) }
  const times = new Float64Array(count)
  let next = 0
  let wrong = 0
  const send = (/** @type {number} */ index) =>
    new Promise((resolve, reject) => {
      const start = performance.now()
      const sent = request({ host: '127.0.0.1', port, path, method, agent, headers }, (response) => {
        if (response.statusCode !== 200) wrong++
        response.on('data', () => undefined)
        response.on('end', () => {
          times[index] = performance.now() - start
          resolve(undefined)
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
  if (wrong > 0) throw new Error(`${wrong} of ${count} answers to ${method} ${path} were no 200`)
  times.sort()
  const at = (/** @type {number} */ part) => times[Math.min(count - 1, Math.floor(count * part))] ?? NaN
  return { rate: count / seconds, p50: at(0.5), p99: at(0.99) }
}
