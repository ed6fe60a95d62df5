import { once } from 'node:events'
import {
  Agent,
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** A load balancer, as real ones are: kept connections, round robin, health checks, few retries. */
export type Balancer = {
  readonly origin: string
  readonly add: (target: string) => void
  readonly remove: (target: string) => void
  /** Resolves once the health check of a target has failed, or it has refused a connection. */
  readonly noticed: (target: string) => Promise<void>
  /** Requests that it could not pass on, or whose response broke off. */
  readonly failures: readonly string[]
  readonly close: () => Promise<void>
}

/** The header that names the target of a response. */
export const servedBy = 'x-served-by'

type Target = {
  readonly origin: string
  isUp: boolean
  readonly down: Promise<void>
  readonly notice: () => void
}

/**
 * Passes each request to the next target that is up. It asks `/readyz` of a target after each
 * request to it, so that it learns of a change a little later. Another target gets the request only
 * if the first one refused the connection.
 */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  const targets: Target[] = []
  const failures: string[] = []
  /** Of each path, so that requests to one do not keep those to another from a target. */
  const turns = new Map<string, number>()

  const isDown = (target: Target) => {
    target.isUp = false
    target.notice()
  }
  const check = (target: Target) => {
    const fail = () => isDown(target)
    request(
      `${target.origin}/readyz`,
      (response) => void (response.resume().statusCode === 200 || fail()),
    )
      .on('error', fail)
      .end()
  }
  const next = (path: string, tried: ReadonlySet<Target>) => {
    const up = targets.filter((target) => target.isUp && !tried.has(target))
    const turn = turns.get(path) ?? 0
    turns.set(path, turn + 1)
    return up[turn % up.length]
  }
  const pass = (
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    tried = new Set<Target>(),
  ): void => {
    const target = next(incoming.url ?? '/', tried)
    const fail = (why: string) => {
      failures.push(`${incoming.method} ${incoming.url}: ${why}`)
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end()
    }
    if (!target) return fail('no target is up')
    const { method = 'GET', url, headers } = incoming
    const passed = request(`${target.origin}${url}`, { method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, {
        ...removeHopHeaders(response.headers),
        [servedBy]: target.origin,
      })
      response.on('error', ({ message }) => fail(message)).pipe(outgoing)
      check(target)
    })
    passed.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') {
        // no byte has left
        isDown(target)
        pass(incoming, body, outgoing, tried.add(target))
      } else fail(`${error.message}${passed.reusedSocket ? ' on a connection that was kept' : ''}`)
    })
    passed.end(body)
  }

  const server = createServer((incoming, outgoing) => {
    void incoming
      .toArray()
      .then((chunks) => pass(incoming, Buffer.concat(chunks as Buffer[]), outgoing))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (origin) => {
      let notice = () => undefined as void
      const down = new Promise<void>((resolve) => (notice = resolve))
      targets.push({ origin, isUp: true, down, notice })
    },
    remove: (origin) =>
      void targets.splice(
        targets.findIndex((target) => target.origin === origin),
        1,
      ),
    noticed: async (origin) => targets.find((target) => target.origin === origin)?.down,
    failures,
    close: async () => {
      agent.destroy()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** What belongs to one connection (RFC 9110, section 7.6.1). */
function removeHopHeaders({
  connection: _connection,
  'keep-alive': _keepAlive,
  'transfer-encoding': _encoding,
  ...rest
}: IncomingHttpHeaders) {
  return rest
}
