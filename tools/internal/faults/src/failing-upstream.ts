import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startListening } from '@farebox/testing/start-listening'

/** An upstream of speech and video that fails in every way in turn, and works in between. */
export type FailingUpstream = {
  readonly url: string
  /** How often it did what, by name. */
  readonly done: ReadonlyMap<string, number>
  readonly close: () => void
}

type Way = (response: ServerResponse, path: string) => unknown

const sound = { 'content-type': 'audio/pcm' }
/** Longer than a caller waits for the next request, and shorter than the service waits. */
const stallMs = 2_000

const ways: Readonly<Record<string, Way>> = {
  works,
  'resets the connection': (response) => response.destroy(),
  'resets it in the body': async (response) => {
    response.writeHead(200, sound).write(Buffer.alloc(4_800))
    await sleep(20)
    response.destroy()
  },
  'stalls and resets': async (response) => {
    await sleep(stallMs)
    response.destroy()
  },
  'stalls in the body': async (response) => {
    response.writeHead(200, sound).write(Buffer.alloc(4_800))
    await sleep(stallMs)
    response.destroy()
  },
  'responds 429': (response) => response.writeHead(429, { 'retry-after': '1' }).end('{}'),
  'responds 500': (response) => response.writeHead(500).end('oops'),
  'responds 503': (response) => response.writeHead(503).end(),
  'responds 401': (response) => response.writeHead(401).end('{}'),
  'responds 400': (response) =>
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"no"}'),
  'responds with a page': (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'),
  'responds with nothing': (response) => response.writeHead(200, sound).end(),
  'breaks off before the stated length': async (response) => {
    response.writeHead(200, { ...sound, 'content-length': '9600' }).write(Buffer.alloc(4_800))
    await sleep(20)
    response.destroy()
  },
  redirects: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
}

function works(response: ServerResponse, path: string): void {
  if (path.endsWith('/video/queue')) {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ model: 'local-test-clip', queue_id: randomUUID() }))
  } else if (path.endsWith('/video/retrieve'))
    response.writeHead(200, { 'content-type': 'video/mp4' }).end(Buffer.alloc(4_096, 1))
  else response.writeHead(200, sound).end(Buffer.alloc(9_600))
}

export async function startFailingUpstream(): Promise<FailingUpstream> {
  const done = new Map<string, number>()
  const names = Object.keys(ways)
  let serial = 0
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    request.resume().once('end', () => {
      // every second request works, so that orders get on
      const name =
        serial % 2 === 0 ? 'works' : (names[((serial - 1) / 2) % names.length] ?? 'works')
      serial++
      done.set(name, (done.get(name) ?? 0) + 1)
      void ways[name]?.(response, request.url ?? '')
    })
  })
  return {
    url: await startListening(server),
    done,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
