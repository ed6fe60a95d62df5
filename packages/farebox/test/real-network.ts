import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  decodePaymentHeader,
  encodeJsonHeader,
  verifyPaymentAuthorization,
  verifySiwxHeader,
} from '@farebox/auth/verify'
import { topUpOffer } from '@farebox/testing/top-up-offer'

/** What the double saw. */
export type Traffic = {
  /** Method, path and status of each response. */
  readonly responses: string[]
  /** The nonces of the payments that it received. */
  readonly payments: Set<string>
  /** The most requests that one wallet had in flight. */
  inFlight: number
  /** Holds each call until so many others are rejected. */
  rejectionsToAwait: number
}

type Books = {
  readonly credit: Map<string, number>
  /** The result of each settled payment, by its nonce. */
  readonly settled: Map<string, object>
  readonly ledger: object[]
}

const maxInFlight = 5
const pricePerCall = 0.25

/**
 * A double of the public service that this interface resembles, where that service behaves
 * differently from its documents: a 402 without a sign-in, sign-ins of at most five minutes that
 * are used once, five requests at a time for a wallet, payments only at the top-up, `solana` beside
 * CAIP-2, null for absent fields, two ledger rows for a request, the address of a video only when
 * it is queued, and no X-Balance-Remaining.
 */
export async function startRealNetwork(): Promise<{
  readonly baseUrl: string
  readonly traffic: Traffic
  readonly close: () => void
}> {
  const traffic: Traffic = {
    responses: [],
    payments: new Set(),
    inFlight: 0,
    rejectionsToAwait: 0,
  }
  const nonces = new Set<string>()
  const flights = new Map<string, number>()
  const books: Books = { credit: new Map(), settled: new Map(), ledger: [] }
  const { credit } = books

  const server = createServer((request, response) => {
    void respond(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const chunk of request) void chunk
    const path = (request.url ?? '').replace(/^\/api\/v1|\?.*$/g, '')
    const send = (
      status: number,
      body: unknown,
      headers: Readonly<Record<string, string>> = {},
    ) => {
      traffic.responses.push(`${request.method} ${path} ${status}`)
      const isBytes = body instanceof Uint8Array
      response.writeHead(status, {
        'content-type': isBytes ? 'audio/mpeg' : 'application/json',
        ...headers,
      })
      response.end(isBytes ? body : JSON.stringify(body))
    }
    const header = (name: string) => {
      const value = request.headers[name]
      return typeof value === 'string' ? value : undefined
    }
    const payment = header('payment-signature') ?? header('x-402-payment') ?? header('x-payment')

    if (path === '/x402/top-up') return topUp(books, traffic, payment, send)
    if (path === '/video.mp4') return send(200, new Uint8Array(8), { 'content-type': 'video/mp4' })
    if (payment !== undefined) {
      traffic.payments.add(readNonce(payment))
      return send(400, {
        error: 'Payment headers are only accepted on /x402/top-up',
        code: 'PAYMENT_HEADER_NOT_ACCEPTED',
      })
    }
    if (header('authorization') !== undefined) return send(200, createdKey)

    const siwx = header('sign-in-with-x')
    if (siwx === undefined)
      return send(402, { error: 'Payment required' }, createChallengeHeaders())
    const isRead = path.startsWith('/x402/')
    const unauthorized = (error: string, code: string) =>
      send(401, isRead ? { error: 'Invalid Sign-in-with-x signature' } : { error, code })
    let wallet: string
    try {
      const options = { domain: new URL(origin).host, uri: origin, maxAgeMs: 300_000 }
      const { address, nonce, issuedAt } = await verifySiwxHeader(siwx, options)
      if (issuedAt < Date.now() - 300_000) return unauthorized('Expired', 'X402_SIGN_IN_EXPIRED')
      if (nonces.has(`${address} ${nonce}`))
        return unauthorized('This nonce has already been used', 'X402_SIGN_IN_NONCE_REUSED')
      nonces.add(`${address} ${nonce}`)
      wallet = address
    } catch {
      return unauthorized('Invalid signature', 'X402_SIGN_IN_INVALID_SIGNATURE')
    }
    if (isRead) return send(200, readBooks(books, path, wallet))

    const open = (flights.get(wallet) ?? 0) + 1
    if (open > maxInFlight) {
      traffic.rejectionsToAwait -= 1
      return send(429, { error: 'Too many concurrent requests', code: 'X402_CONCURRENCY_LIMIT' })
    }
    traffic.inFlight = Math.max(traffic.inFlight, open)
    flights.set(wallet, open)
    do await sleep(20)
    while (traffic.rejectionsToAwait > 0)
    flights.set(wallet, (flights.get(wallet) ?? 1) - 1)
    const remainingCredit = (credit.get(wallet) ?? 0) - pricePerCall
    if (remainingCredit < 0)
      return send(
        402,
        {
          error: 'Payment required',
          code: 'PAYMENT_REQUIRED',
          reason: 'insufficient_balance',
          currentBalanceUsd: credit.get(wallet) ?? 0,
          minimumBalanceUsd: 0.1,
          supportedChains: ['base', 'solana'],
        },
        createChallengeHeaders(),
      )
    credit.set(wallet, remainingCredit)
    charge(books, remainingCredit)
    if (path === '/video/queue')
      return send(200, {
        model: 'wan-2.5-preview-text-to-video',
        queue_id: crypto.randomUUID(),
        download_url: `${origin}/video.mp4`,
      })
    if (path === '/video/retrieve')
      return send(200, { status: 'COMPLETED', average_execution_time: 1, execution_duration: 1 })
    return send(200, new Uint8Array(16))
  }

  return {
    baseUrl: `${origin}/api/v1`,
    traffic,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function readNonce(header: string): string {
  const { payload } = decodePaymentHeader(header) as unknown as {
    readonly payload: { readonly authorization: { readonly nonce: string } }
  }
  return payload.authorization.nonce
}

/** Two rows for one request: its input, and its output. */
function charge({ ledger }: Books, balanceAfter: number): void {
  const requestId = crypto.randomUUID()
  for (const share of [0.1, 0.15])
    ledger.push({
      id: crypto.randomUUID(),
      amount: -share,
      balanceAfter: balanceAfter + (share === 0.1 ? 0.15 : 0),
      type: 'CHARGE',
      createdAt: new Date().toISOString(),
      requestId,
      modelId: 'tts-kokoro',
    })
}

async function topUp(
  { credit, settled }: Books,
  traffic: Traffic,
  payment: string | undefined,
  send: (status: number, body: unknown, headers?: Readonly<Record<string, string>>) => void,
): Promise<void> {
  if (payment === undefined)
    return send(402, { error: 'Payment required' }, createChallengeHeaders())
  const { payer, nonce, amount } = await verifyPaymentAuthorization(
    decodePaymentHeader(payment),
    topUpOffer,
    { minAmount: 5_000_000n },
  )
  traffic.payments.add(nonce)
  if (!settled.has(nonce)) {
    const usd = Number(amount) / 1e6
    const newBalance = (credit.get(payer) ?? 0) + usd
    credit.set(payer, newBalance)
    settled.set(nonce, { walletAddress: payer, amountCredited: usd, newBalance, paymentId: null })
  }
  const receipt = { success: true, transaction: '0x1', network: topUpOffer.network, payer }
  send(
    200,
    { success: true, data: settled.get(nonce) },
    { 'payment-response': encodeJsonHeader(receipt) },
  )
}

function readBooks({ credit, ledger }: Books, path: string, walletAddress: string): object {
  const balance = credit.get(walletAddress) ?? 0
  const data = path.startsWith('/x402/balance/')
    ? {
        walletAddress,
        balanceUsd: balance,
        canConsume: true,
        minimumTopUpUsd: 5,
        suggestedTopUpUsd: 10,
        diemBalanceUsd: null,
      }
    : {
        walletAddress,
        currentBalance: balance,
        transactions: ledger,
        pagination: { limit: 50, offset: 0, hasMore: false },
      }
  return { success: true, data }
}

/** Networks have their names of version 1 for Solana, and CAIP-2 for Base. */
function createChallengeHeaders(): Readonly<Record<string, string>> {
  const solana = {
    scheme: 'exact',
    network: 'solana',
    amount: '5000000',
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    payTo: '1nc1nerator11111111111111111111111111111111',
    maxTimeoutSeconds: 300,
    extra: { feePayer: 'FareboxNobodyPaysTheFee11111111111111111111' },
  }
  const document = { x402Version: 2, error: 'Payment required', accepts: [solana, topUpOffer] }
  return { 'payment-required': encodeJsonHeader(document) }
}

const createdKey = {
  success: true,
  data: {
    id: '0b2d3c4e-5f60-4a71-8b92-a3b4c5d6e7f8',
    apiKey: 'VENICE_INFERENCE_KEY_planted',
    apiKeyType: 'INFERENCE',
    description: 'till 4',
    expiresAt: null,
    consumptionLimit: { usd: null, diem: 10, vcu: null },
  },
}
