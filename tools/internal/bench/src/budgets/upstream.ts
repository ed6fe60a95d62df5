import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { UpstreamRecord, UpstreamMessage } from './upstream-process.js'

/** The mock upstream, from outside of its process. */
export type MockUpstream = {
  readonly url: string
  /** Resolves to the pieces of a call when it has given all of them and waits. */
  readonly stalled: (id: string) => Promise<number>
  /** What it gave to each call so far, by id. */
  readonly given: () => Promise<ReadonlyMap<string, UpstreamRecord>>
  readonly stop: () => void
}

export async function startMockUpstream(): Promise<MockUpstream> {
  const child = fork(fileURLToPath(new URL('upstream-process.js', import.meta.url)))
  const waiting = new Map<string, (written: number) => void>()
  const next = async <Key extends string>(key: Key) => {
    for (;;) {
      const [message] = (await once(child, 'message')) as [UpstreamMessage]
      if (key in message) return message as Extract<UpstreamMessage, Readonly<Record<Key, unknown>>>
    }
  }
  child.on('message', (message: UpstreamMessage) => {
    if ('stalled' in message) waiting.get(message.stalled.id)?.(message.stalled.written)
  })
  const { url } = await next('url')
  return {
    url,
    stalled: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    given: async () => {
      const response = next('given')
      child.send('given')
      return new Map((await response).given.map((one) => [one.id, one]))
    },
    stop: () => void child.kill(),
  }
}
