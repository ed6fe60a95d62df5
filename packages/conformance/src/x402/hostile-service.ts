import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey } from '@farebox/auth/keys'

/** What the service offers: 5 USD on Base. */
export const fittingOffer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '5000000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
} as const

/** The offer to sign a maximum of 5 USD, of which the service settles what the call cost. */
export const fittingUptoOffer = {
  ...fittingOffer,
  scheme: 'upto',
  extra: {
    ...fittingOffer.extra,
    assetTransferMethod: 'permit2',
    facilitatorAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  },
} as const

/** An EIP-3009 authorization, or a permit of the scheme `upto`, that a client sent. */
export type Authorization = {
  /** The whole payment. */
  readonly document: Readonly<Record<string, unknown>>
  readonly nonce: string
  /** Atomic units. Of a permit: the maximum. */
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
  /** The response to payment number `at`, counted from 0. */
  readonly reply: (at: number, authorization: Authorization) => Reply
  /** Changes of the offer in 402 number `at`, counted from 0. */
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
  const authorizations: Authorization[] = []
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
    play(response, behavior.reply(authorizations.push(authorization) - 1, authorization))
  }

  const [own, other] = await Promise.all([listen(respond), listen(respond)])
  return {
    origin: own.origin,
    received: authorizations,
    close: () => {
      own.close()
      other.close()
    },
  }
}

type Offer = Readonly<Record<string, unknown>> & { readonly amount: string }

/** The subject of the offers. */
export const paidResource = {
  url: 'https://api.example/api/v1/x402/top-up',
  description: 'credit',
  mimeType: 'application/json',
} as const

/** A 402 with one offer, for clients of either version. */
export function paymentRequired(changes: object = {}, error = 'Payment required'): Reply {
  return offerAll([{ ...fittingOffer, ...changes }], { error })
}

/** A 402 with these offers, for clients of either version. */
export function offerAll(offers: readonly Offer[], fields: object = {}): Reply {
  const document = { x402Version: 2, resource: paidResource, accepts: offers, ...fields }
  return {
    status: 402,
    headers: { 'payment-required': toHeader(document) },
    body: { x402Version: 1, ...fields, accepts: offers.map(toVersion1) },
  }
}

/** A 402 with an offer of version 1, only in the body. */
export function offerVersion1(): Reply {
  return { status: 402, body: { x402Version: 1, accepts: [toVersion1(fittingOffer)] } }
}

function toVersion1(offer: Offer): object {
  const { url, ...described } = paidResource
  return {
    ...offer,
    network: 'base',
    maxAmountRequired: offer.amount,
    resource: url,
    ...described,
  }
}

/** A settlement of the payment. */
export const settled: Reply = {
  status: 200,
  headers: receipt({ success: true, transaction: `0x${'12'.repeat(32)}` }),
  body: { success: true, data: { newBalance: 5 } },
}

/** PAYMENT-RESPONSE, in the headers of both versions. */
export function receipt(settlement: object): Readonly<Record<string, string>> {
  const value = toHeader({ network: fittingOffer.network, transaction: '', ...settlement })
  return { 'payment-response': value, 'x-payment-response': value }
}

function toHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function readAuthorization(header: string): Authorization {
  const document = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly payload: {
      readonly authorization?: Omit<Authorization, 'document'>
      readonly permit2Authorization?: {
        readonly nonce: string
        readonly permitted?: { readonly amount: string }
        readonly witness?: { readonly to: string }
      }
    }
  }
  const { authorization, permit2Authorization } = document.payload
  return {
    document,
    nonce: permit2Authorization?.nonce ?? '',
    value: permit2Authorization?.permitted?.amount ?? '0',
    to: permit2Authorization?.witness?.to ?? '',
    ...authorization,
  }
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

/** A client as a command that pays the URL in X402_URL once. */
export type ClientCommand = {
  /** The program and its arguments. `{url}` in an argument becomes the URL. */
  readonly command: readonly string[]
  readonly signal: AbortSignal
}

export type ClientRuns = {
  /** The exit code of each run; null for one that was killed. */
  readonly codes: readonly (number | null)[]
  /** The end of what the last run printed on stderr. */
  readonly stderr: string
  /** Every payment that arrived. */
  readonly received: readonly Authorization[]
}

/** How long a run may take, in milliseconds. */
const longestRunMs = 60_000

/**
 * Runs the client against a hostile service, once or several times in sequence. All runs have one
 * wallet and one home, so a client can remember what it signed.
 */
export async function runClient(
  { command, signal }: ClientCommand,
  behavior: Behavior,
  times = 1,
): Promise<ClientRuns> {
  const service = await startHostileService(behavior)
  const home = mkdtempSync(join(tmpdir(), 'verify-x402-'))
  const url = `${service.origin}/api/v1/x402/top-up`
  const env = {
    ...process.env,
    X402_URL: url,
    X402_PRIVATE_KEY: generatePrivateKey(),
    XDG_STATE_HOME: home,
  }
  const codes: (number | null)[] = []
  let stderr = ''
  try {
    for (let run = 0; run < times; run++) {
      const { code, text } = await runOnce(command, url, env, signal)
      codes.push(code)
      stderr = text
      signal.throwIfAborted()
    }
    return { codes, stderr, received: service.received }
  } finally {
    service.close()
    rmSync(home, { recursive: true, force: true })
  }
}

async function runOnce(
  command: readonly string[],
  url: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const [program = '', ...args] = command.map((part) => part.replaceAll('{url}', url))
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-200)
  })
  const stop = () => void child.kill('SIGKILL')
  const timer = setTimeout(stop, longestRunMs)
  signal.addEventListener('abort', stop)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return { code, text }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
