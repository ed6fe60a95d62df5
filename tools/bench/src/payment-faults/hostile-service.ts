import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { topUpOffer } from '@farebox/testing/top-up-offer'

/** An EIP-3009 authorization that a client sent. */
export type Authorization = {
  readonly nonce: string
  /** Atomic units. */
  readonly value: string
  readonly to: string
}

export type Reply =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: object
    }
  /** The connection is cut, before the head or within the body, or nothing ever follows. */
  | 'lost'
  | 'cut'
  | 'silent'

export type Behavior = {
  /** The response to the payment that arrives as number `at`, from 0. */
  readonly reply: (at: number, authorization: Authorization) => Reply
  /** Changes of the offer in the 402 that is sent as number `at`. */
  readonly offer?: (at: number) => object
  /** The response to a request without a payment. Default: 402 with the offer. */
  readonly discovery?: (at: number, otherHost: string) => Reply | undefined
  /** How far the service's Date is from the caller's clock, in milliseconds. Default: a true Date. */
  readonly dateOffset?: number
}

export type HostileService = {
  readonly origin: string
  /** Every authorization that reached this service, or the other host that it redirects to. */
  readonly received: readonly Authorization[]
  readonly close: () => void
}

const paymentHeaders = ['payment-signature', 'x-payment', 'x-402-payment']

export async function startHostileService(behavior: Behavior): Promise<HostileService> {
  const received: Authorization[] = []
  let discoveries = 0

  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume()
    if (behavior.dateOffset !== undefined)
      response.setHeader('date', new Date(Date.now() + behavior.dateOffset).toUTCString())
    const header = paymentHeaders.map((name) => request.headers[name]).find(Boolean)
    if (typeof header !== 'string') {
      const at = discoveries++
      const changes = behavior.offer?.(at) ?? {}
      return play(response, behavior.discovery?.(at, other.origin) ?? paymentRequired(changes))
    }
    const authorization = readAuthorization(header)
    play(response, behavior.reply(received.push(authorization) - 1, authorization))
  }

  const [own, other] = await Promise.all([listen(respond), listen(respond)])
  return {
    origin: own.origin,
    received,
    close: () => {
      own.close()
      other.close()
    },
  }
}

/** A 402 for clients of either version. */
export function paymentRequired(changes: object = {}, error = 'Payment required'): Reply {
  const offer = { ...topUpOffer, ...changes }
  const resource = { url: 'https://api.example/api/v1/x402/top-up', description: '', mimeType: '' }
  const version1 = { ...offer, maxAmountRequired: offer.amount, resource: resource.url }
  return {
    status: 402,
    headers: {
      'payment-required': toHeader({ x402Version: 2, error, resource, accepts: [offer] }),
    },
    body: { x402Version: 1, error, accepts: [version1] },
  }
}

/** PAYMENT-RESPONSE, in the headers of both versions. */
export function receipt(settlement: object): Readonly<Record<string, string>> {
  const value = toHeader({ network: topUpOffer.network, transaction: '', ...settlement })
  return { 'payment-response': value, 'x-payment-response': value }
}

function toHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function readAuthorization(header: string): Authorization {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly payload: { readonly authorization: Authorization }
  }
  return payload.authorization
}

function play(response: ServerResponse, reply: Reply): void {
  if (reply === 'silent') return
  if (reply === 'lost') return void response.destroy()
  if (reply === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"success":')
    setTimeout(() => response.destroy(), 20)
    return
  }
  const { status, headers, body = {} } = reply
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

async function listen(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly origin: string; readonly close: () => void }> {
  const server = createServer(respond)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
