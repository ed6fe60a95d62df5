import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FacilitatorRequest = {
  readonly path: string
  readonly authorization: string | undefined
  readonly text: string
  readonly json: FacilitatorRequestBody
}
export type FacilitatorRequestBody = {
  readonly x402Version: number
  readonly paymentPayload: {
    readonly payload: {
      readonly authorization?: { readonly from: string }
      readonly permit2Authorization?: { readonly from: string }
      readonly transaction?: string
    }
  }
  readonly paymentRequirements: Readonly<Record<string, unknown>>
}

/**
 * What the facilitator does with one settlement: `lose` settles and breaks the connection, `stall`
 * settles and never responds, `drop` breaks the connection before anything is settled.
 */
export type Step =
  | 'settle'
  | 'lose'
  | 'stall'
  | 'drop'
  | { readonly status: number; readonly body: unknown; readonly settles?: boolean }
  /** Settles, and responds when told. */
  | { readonly hold: Promise<void> }
  /** Settles, and says something of it that is not so. */
  | { readonly lie: Readonly<Record<string, unknown>> }

export type FakeFacilitator = {
  readonly url: string
  readonly asked: FacilitatorRequest[]
  /** Payloads that reached the chain: each once, however often it was settled. */
  readonly landed: Set<string>
  /** For the settlements to come, in order; afterwards all are settled. */
  readonly script: Step[]
  /** Answers of `/verify` to come, in order; afterwards all are valid. */
  readonly verdicts: { readonly status: number; readonly body: unknown }[]
  /** What `/supported` says; a number is a status. */
  supported: number | Readonly<Record<string, unknown>>
  /** Resolves when a path was asked for so many times in all. */
  readonly calls: (path: string, count: number) => Promise<void>
  readonly close: () => Promise<void>
}

export const feePayer = 'CebN5WGQ4jvEPvsVU4EoHEpgzq1VV7AbicfhtW4xC9iM'
export const base = 'eip155:8453'
export const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
export const transaction = `0x${'ab'.repeat(32)}`

export const supportsBoth = {
  kinds: [
    { x402Version: 2, scheme: 'exact', network: base },
    { x402Version: 2, scheme: 'exact', network: solana, extra: { feePayer } },
  ],
  extensions: [],
  signers: {},
}

/** The account that may settle permits of the scheme `upto`. */
export const facilitatorAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

export const supportsUpto = {
  ...supportsBoth,
  kinds: [
    ...supportsBoth.kinds,
    { x402Version: 2, scheme: 'upto', network: base, extra: { facilitatorAddress } },
  ],
}

/**
 * A facilitator over real HTTP that follows a script. It settles by payload: the same payload again
 * moves nothing and gets the same response.
 */
export async function startFakeFacilitator(): Promise<FakeFacilitator> {
  const requests: FacilitatorRequest[] = []
  const landed = new Set<string>()
  const script: Step[] = []
  const verdicts: { status: number; body: unknown }[] = []
  const waiting: (() => void)[] = []
  const countRequests = (wantedPath: string) =>
    requests.filter(({ path }) => path === wantedPath).length
  const state = { supported: supportsBoth as FakeFacilitator['supported'] }
  const server = createServer((request, response) => {
    void (async () => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const json = (text === '' ? {} : JSON.parse(text)) as FacilitatorRequestBody
      requests.push({
        path: request.url ?? '',
        authorization: request.headers.authorization,
        text,
        json,
      })
      for (const wake of waiting.splice(0)) wake()
      if (request.url === '/supported') {
        return typeof state.supported === 'number'
          ? send(response, state.supported, {})
          : send(response, 200, state.supported)
      }
      if (request.url === '/verify') {
        const { status, body } = verdicts.shift() ?? {
          status: 200,
          body: { isValid: true, ...findPayer(json) },
        }
        return send(response, status, body)
      }
      if (request.url === '/settle') return settle(json, response)
      return send(response, 404, {})
    })()
  })

  async function settle(question: FacilitatorRequestBody, response: ServerResponse): Promise<void> {
    const step = script.shift() ?? 'settle'
    const success = {
      success: true,
      transaction,
      network: question.paymentRequirements['network'],
      ...findPayer(question),
      ...(question.paymentRequirements['scheme'] === 'upto' && {
        amount: question.paymentRequirements['amount'],
      }),
    }
    const land = () => void landed.add(JSON.stringify(question.paymentPayload.payload))
    if (step === 'drop') return void response.destroy()
    if (typeof step === 'object' && 'status' in step) {
      if (step.settles === true) land()
      return send(response, step.status, step.body)
    }
    land()
    if (step === 'lose') return void response.destroy()
    if (step === 'stall') return
    if (typeof step === 'object' && 'hold' in step) await step.hold
    send(
      response,
      200,
      typeof step === 'object' && 'lie' in step ? { ...success, ...step.lie } : success,
    )
  }

  // on a slow machine its client may not have seen yet that an idle connection was closed
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: requests,
    landed,
    script,
    verdicts,
    get supported() {
      return state.supported
    },
    set supported(value) {
      state.supported = value
    },
    calls: async (path, count) => {
      while (countRequests(path) < count)
        await new Promise<void>((resolve) => waiting.push(resolve))
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Version 2 need not name the payer of a Solana payment. */
function findPayer({ paymentPayload: { payload } }: FacilitatorRequestBody): {
  readonly payer?: string
} {
  const { from } = payload.authorization ?? payload.permit2Authorization ?? {}
  return from === undefined ? {} : { payer: from }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}
