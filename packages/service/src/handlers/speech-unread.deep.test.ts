import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import * as local from '@farebox/local-backends'
import { afterEach, expect, it } from 'vitest'
import { adminKey, startService, type Harness } from '../../test/harness.js'
import { createLocalSpeech } from '../domain/local/local-backends.js'
import { createServer } from '../platform/server/create-server.js'

let farebox: Harness
let server: Server
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  server.closeAllConnections()
  server.close()
  await farebox.service.close()
})

/** Texts that the synthesizer works on at a time. */
const maxStarted = 16
const sentences = 40
/** 1,000 characters, of which two sentences fill the buffers of a connection that is not read. */
const text = 'This sentence is 24 long. '.repeat(sentences).trim()

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

/** Opens a request whose response is never read. */
async function openUnread(): Promise<void> {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  sockets.push(socket.pause())
  await once(socket, 'connect')
  const body = JSON.stringify({ input: text, response_format: 'mp3', streaming: true })
  const head = [
    'POST /api/v1/audio/speech HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${adminKey}`,
  ]
  socket.write(
    [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join(
      '\r\n',
    ),
  )
}

it('an unread response does not block other speech, and is charged for what was made', async () => {
  const made = new Map<number, number>()
  const thread: local.SpeechThread = {
    next: async (id, options) => {
      const count = (made.get(id) ?? 0) + 1
      made.set(id, count)
      const size = options?.sentences.length === 1 ? 10 : 8 * 1024 * 1024
      return { bytes: new Uint8Array(size), isLast: count === sentences || size === 10 }
    },
    drop: () => undefined,
    ready: async () => undefined,
    close: async () => undefined,
  }
  let now = 0
  const speech = createLocalSpeech(async () => local.createLocalSpeech({ thread, now: () => now }))
  farebox = await startService({ speech })
  server = createServer(farebox.service.fetch).listen(0, '127.0.0.1')
  await once(server, 'listening')
  for (let text = 0; text < maxStarted; text++) await openUnread()
  await waitUntil(async () => made.size === maxStarted)

  now += 50_000
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  const response = await farebox.call('createSpeech', '/audio/speech', {
    method: 'POST',
    headers,
    body: '{"input":"Hello"}',
  })
  expect([response.status, response.bytes.length]).toEqual([200, 10])
  for (const count of made.values()) expect(count).toBeLessThan(sentences / 2)

  for (const socket of sockets) socket.destroy()
  await waitUntil(
    async () =>
      (await farebox.database.query(`select 1 from hold where state = 'held'`)).length === 0,
  )
  const { entries } = await farebox.ledger.entries('key:admin', { limit: 100, offset: 0 })
  const charges = entries.filter(({ type }) => type === 'CHARGE').map(({ amount }) => -amount)
  expect(charges).toHaveLength(maxStarted + 1)
  for (const charge of charges)
    expect(charge).toBeLessThan(BigInt(Math.ceil(text.length * 3.5)) / 2n)
})
