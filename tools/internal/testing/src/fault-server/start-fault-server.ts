import { createServer, type AddressInfo, type Socket } from 'node:net'
import { play, type Fault } from './fault.js'

/** One request as it came over the wire. */
export type ReceivedRequest = {
  readonly method: string
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** By `performance.now()`. */
  readonly at: number
}

export type FaultServer = {
  readonly origin: string
  readonly heard: readonly ReceivedRequest[]
  /** How many connections were made in all. */
  readonly connections: () => number
  /** Connections that are open now. */
  readonly open: () => number
  /** The connections that received a request. undici opens spare ones after a cut. */
  readonly busy: () => number
  readonly close: () => Promise<void>
}

/**
 * The fault for each request in turn, the last one for all that follow; or a function that chooses.
 */
export type Script = readonly Fault[] | ((request: ReceivedRequest, index: number) => Fault)

/** A server that responds to each request by the script and records it, on a free port. */
export async function startFaultServer(script: Script, port = 0): Promise<FaultServer> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const busy = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => (sockets.delete(socket), busy.delete(socket)))
    // a client that hangs up is not a failure of the test
    socket.on('error', () => undefined)
    let received = Buffer.alloc(0)
    let done = false
    socket.on('data', (chunk: Buffer) => {
      if (done) return
      received = Buffer.concat([received, chunk])
      const request = parse(received)
      if (request === undefined) return
      done = true
      busy.add(socket)
      requests.push(request)
      play(chooseFault(script, request, requests.length - 1), socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: requests,
    connections: () => connections,
    open: () => sockets.size,
    busy: () => busy.size,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function chooseFault(script: Script, request: ReceivedRequest, index: number): Fault {
  if (typeof script === 'function') return script(request, index)
  const fault = script[Math.min(index, script.length - 1)]
  if (fault === undefined) throw new Error('The script of the fault server is empty.')
  return fault
}

/** The request when all of it has come. */
function parse(received: Buffer): ReceivedRequest | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
  const [method = '', path = ''] = first.split(' ')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const body = received.subarray(end + 4)
  const complete =
    headers['transfer-encoding'] === 'chunked'
      ? body.toString('latin1').endsWith('0\r\n\r\n')
      : body.length >= Number(headers['content-length'] ?? 0)
  return complete
    ? { method, path, headers, body: body.toString(), at: performance.now() }
    : undefined
}
