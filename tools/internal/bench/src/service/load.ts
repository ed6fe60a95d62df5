import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { root } from '../measure.js'
import { createSiwxHeader } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'

/** Requests a second, and milliseconds. */
export type Load = { readonly rate: number; readonly p50: number; readonly p99: number }

/** Bytes, and milliseconds of processor time since the start. */
type Usage = { readonly rss: number; readonly heap: number; readonly cpu: number }

export type LoadRequest = {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type LoadOptions = { readonly count: number; readonly connections?: number }

/** A server of serve.ts, in a process of its own. */
export type ServedProcess = {
  /** Of the kind `wallets`: its time, which stands still. */
  readonly setTime: (time: number) => void
  readonly port: number
  readonly usage: () => Promise<Usage>
  readonly stop: () => void
}

/** Serves the service of a built checkout: of this one unless another is given. */
export async function serveCheckout(
  kind: 'bare' | 'service' | 'wallets' | 'shared',
  checkout = root,
  environment: NodeJS.ProcessEnv = {},
): Promise<ServedProcess> {
  const child = fork(fileURLToPath(new URL('serve.js', import.meta.url)), [kind, checkout], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, ...environment },
  })
  const { port } = await receiveMessage<{ readonly port: number }>(child)
  return {
    port,
    setTime: (time) => void child.send({ time }),
    usage: () => {
      child.send('usage')
      return receiveMessage<Usage>(child)
    },
    stop: () => void child.kill(),
  }
}

async function receiveMessage<Message>(child: ChildProcess): Promise<Message> {
  const [message] = (await once(child, 'message')) as [Message]
  return message
}

/**
 * Sends requests over some connections, each as soon as the one before it has its response.
 * `sentAt` gives the request of an index.
 */
export async function load(
  port: number,
  sentAt: (index: number) => LoadRequest,
  { count, connections = 32 }: LoadOptions,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times = new Float64Array(count)
  let next = 0
  let wrong = 0
  const send = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const { body, ...options } = sentAt(index)
      const start = performance.now()
      const sent = request({ host: '127.0.0.1', port, agent, ...options }, (response) => {
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
  if (wrong > 0)
    throw new Error(
      `${wrong} of ${count} responses to ${sentAt(0).path} have another status than 200`,
    )
  times.sort()
  const at = (part: number): number => times[Math.min(count - 1, Math.floor(count * part))] ?? NaN
  return { rate: count / seconds, p50: at(0.5), p99: at(0.99) }
}

type Wallets = {
  readonly addresses: readonly string[]
  /** Signs requests at a time, each with a nonce of its own. The wallets take turns. */
  readonly signed: (
    sentBy: (address: string) => LoadRequest,
    count: number,
    time: number,
  ) => Promise<readonly LoadRequest[]>
}

/** As serve.ts has it. */
const service = {
  domain: '127.0.0.1',
  uri: 'http://127.0.0.1',
  statement: 'Sign in to Farebox API',
}

/** Wallets without credit and entries. */
export function createWallets(count: number): Wallets {
  const signers = Array.from({ length: count }, () => privateKeySigner(generatePrivateKey()))
  return {
    addresses: signers.map(({ address }) => address),
    signed: async (sentBy, requests, time) => {
      const sent: LoadRequest[] = []
      while (sent.length < requests) {
        for (const signer of signers.slice(0, requests - sent.length)) {
          const header = await createSiwxHeader(signer, { ...service, now: () => time })
          const { headers, ...own } = sentBy(signer.address)
          sent.push({ ...own, headers: { ...headers, 'sign-in-with-x': header } })
        }
      }
      return sent
    },
  }
}
