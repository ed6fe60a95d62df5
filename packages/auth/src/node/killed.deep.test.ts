import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withMiddleware } from '@farebox/middleware'
import { createPaymentRequired } from '@farebox/testing/top-up-offer'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pay } from '../payment/pay.js'
import { PaymentError } from '../errors.js'
import { generatePrivateKey, privateKeySigner } from '../keys.js'
import { decodePaymentHeader } from '../verify.js'
import { folderPaymentStore } from './folder-payment-store.js'

const program = fileURLToPath(new URL('../../test/paying-process.mjs', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'farebox-killed-'))
let server: Server
let origin: string
let settled: string[] = []
const children: ChildProcess[] = []
let respond = (response: ServerResponse): void => void response.end('{}')

beforeAll(async () => {
  server = createServer((request, response) => {
    const payment = request.headers['payment-signature']
    if (typeof payment !== 'string') {
      response.writeHead(402, createPaymentRequired()).end()
      return
    }
    settled.push(payment)
    respond(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  server.closeAllConnections()
  server.close()
  rmSync(home, { recursive: true })
})

/** Where a process stops in its top-up, and whether it ends there. */
type Stop = { readonly step: number; readonly kills?: boolean }

function startProcess(): ChildProcess {
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  children.push(child)
  return child
}

/** Resolves to the status of the response, "stopped", or the signal that ended the process. */
async function payInProcess(
  child: ChildProcess,
  folder: string,
  key: string,
  { step, kills = false }: Stop,
): Promise<unknown> {
  const ending = new AbortController()
  const message = once(child, 'message', ending)
  const exit = once(child, 'exit', ending).then(([, signal]: unknown[]) => [signal])
  // a message cannot contain Infinity
  child.send({ origin, folder, key, step: Math.min(step, Number.MAX_SAFE_INTEGER), kills })
  const [outcome] = (await Promise.race([message, exit])) as [unknown]
  for (const unused of [message, exit]) unused.catch(() => undefined)
  ending.abort()
  return outcome
}

/** The same top-up in this process, after the other process has ended. */
async function payAgain(folder: string, key: string): Promise<unknown> {
  const middleware = pay(privateKeySigner(key), {
    origin,
    maxUsdPerPayment: 5,
    maxUsdPerDay: 5,
    store: folderPaymentStore(folder),
  })
  return withMiddleware(fetch, middleware)(`${origin}/x402/top-up`, { method: 'POST' }).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof PaymentError ? error.code : error),
  )
}

/** How often the payment was sent, and the result of the next run. */
async function payTwice(
  child: ChildProcess,
  folder: string,
  stop: Stop,
): Promise<{ readonly ended: unknown; readonly outcome: string }> {
  settled = []
  const key = generatePrivateKey()
  const ended = await payInProcess(child, folder, key, stop)
  const again = await payAgain(folder, key)
  expect([stop.step, new Set(settled).size]).toEqual([stop.step, 1])
  return {
    ended,
    outcome: `${settled.length === 1 ? 'sent once' : 'sent twice'}, ${String(again)}`,
  }
}

it('a payer that stops before any of its file or network operations pays at most once, and the next run completes it', async () => {
  const child = startProcess()
  const outcomes: string[] = []
  for (let step = 0; ; step++) {
    const { ended, outcome } = await payTwice(child, join(home, `step-${step}`), { step })
    if (ended === 200) break
    expect([step, ended]).toEqual([step, 'stopped'])
    outcomes.push(outcome)
  }
  // not sent yet, sent but not confirmed, and confirmed
  const kinds = ['sent once, 200', 'sent twice, 200', 'sent once, over_daily_cap']
  expect([...new Set(outcomes)]).toEqual(kinds)
  expect(outcomes.length).toBeGreaterThan(30)

  // a killed process has the same effect: at the first and the last step of each outcome
  for (const kind of kinds) {
    for (const step of [outcomes.indexOf(kind), outcomes.lastIndexOf(kind)]) {
      const killed = await payTwice(startProcess(), join(home, `killed-${step}`), {
        step,
        kills: true,
      })
      expect([step, killed]).toEqual([step, { ended: 'SIGKILL', outcome: kind }])
    }
  }
})

it('four processes that pay at the same time send one payment', async () => {
  settled = []
  const waiting: ServerResponse[] = []
  // respond only after all of them have sent
  respond = (response) => {
    waiting.push(response)
    if (waiting.length === 4) for (const response of waiting) response.end('{}')
  }
  const [folder, key] = [join(home, 'four'), generatePrivateKey()]
  const ended = await Promise.all(
    Array.from({ length: 4 }, () => payInProcess(startProcess(), folder, key, { step: Infinity })),
  )
  expect([ended, settled.length, new Set(settled).size]).toEqual([[200, 200, 200, 200], 4, 1])
})

it('four processes, and one after them, send one payment to a service that responds 402 to each', async () => {
  settled = []
  respond = (response) => response.writeHead(402, createPaymentRequired()).end()
  const [folder, key] = [join(home, 'rejected'), generatePrivateKey()]
  const ended = await Promise.all(
    Array.from({ length: 4 }, () => payInProcess(startProcess(), folder, key, { step: Infinity })),
  )
  expect([...ended, await payAgain(folder, key)]).toEqual(
    Array.from({ length: 5 }, () => 'outcome_unknown'),
  )
  expect([settled.length, new Set(settled).size]).toEqual([5, 1])
})

it('a payer that stops before any operation of its second signature has one nonce', async () => {
  const child = startProcess()
  const reject = (response: ServerResponse) =>
    void response.writeHead(402).end(JSON.stringify({ error: 'invalid_payload' }))
  for (let step = 0; ; step++) {
    const [folder, key] = [join(home, `again-${step}`), generatePrivateKey()]
    settled = []
    respond = reject
    expect(await payAgain(folder, key)).toBe('payment_refused')
    respond = (response) => void response.end('{}')
    const ended = await payInProcess(child, folder, key, { step })
    await payAgain(folder, key)
    const nonces = settled.map((header) => readNonce(header))
    expect([step, new Set(nonces).size]).toEqual([step, 1])
    if (ended === 200) break
    expect([step, ended]).toEqual([step, 'stopped'])
  }
})

function readNonce(header: string): string {
  const { payload } = decodePaymentHeader(header) as unknown as {
    payload: { authorization: { nonce: string } }
  }
  return payload.authorization.nonce
}
