import type { Arguments } from '@farebox/command-line'
import { loadClients, type Start } from './payment-faults/clients.js'
import { scenarios, type Scenario } from './payment-faults/scenarios.js'
import { keepTable } from './measure.js'
import { fileURLToPath } from 'node:url'
import {
  verifyX402Client,
  startHostileService,
  type Authorization,
} from '@farebox/conformance/x402'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What ours may expose for a purchase of 5 USD, in any scenario. */
const maxUsd = 5

/**
 * Plays every scenario to every client, and prints how many dollars the service could take for one
 * purchase of 5 USD. The exit code is 0 if ours exposes one amount in all of them.
 */
export async function benchmarkPaymentFaults(args: Arguments): Promise<void> {
  process.on('unhandledRejection', () => undefined)
  const clients = Object.entries(loadClients())
  const rows: Record<string, Record<string, string>> = {}
  const sums = clients.map(() => ({ worst: 0, doubled: 0 }))
  for (const scenario of scenarios) {
    const cells: [string, string][] = []
    for (const [column, [name, start]] of clients.entries()) {
      const exposure = await play(scenario, start)
      cells.push([name, describe(exposure)])
      const sum = sums[column]
      if (!sum) continue
      sum.worst = Math.max(sum.worst, exposure.usd)
      if (exposure.nonces > 1) sum.doubled++
    }
    rows[scenario.title] = Object.fromEntries(cells)
  }
  console.log('USD that the service could take for one purchase of 5 USD, and by how many nonces:')
  console.table(rows)
  const summary = Object.fromEntries(
    clients.map(([name], column) => [
      name,
      {
        'most USD exposed': sums[column]?.worst ?? 0,
        [`purchases with more than one payment, of ${scenarios.length}`]:
          sums[column]?.doubled ?? 0,
      },
    ]),
  )
  console.table(summary)
  if (args.has('save')) {
    keepTable(summary, 'payment-faults')
    keepTable(rows, 'payment-faults-scenarios')
  }
  process.exit((sums[0]?.worst ?? Infinity) <= maxUsd ? 0 : 1)
}

function describe({ usd, nonces, isBought }: Exposure): string {
  const more = nonces > 1 ? ` (${nonces} nonces)` : ''
  return `${usd}${more}${isBought ? ', bought' : ''}`
}

const program = fileURLToPath(new URL('payment-faults/client-process.js', import.meta.url))

/** Runs the client checks of `farebox verify-x402` on each client. */
export async function checkX402Clients(args: Arguments): Promise<void> {
  const rows: Record<string, Record<string, string>> = {}
  const summary: Record<string, Record<string, number>> = {}
  const { signal } = new AbortController()
  for (const name of Object.keys(loadClients())) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const command = [process.execPath, program, name]
    for await (const { id, status } of verifyX402Client({ command, signal })) {
      counts[status]++
      rows[id] = { ...rows[id], [name]: status }
    }
    summary[name] = counts
  }
  console.table(rows)
  console.table(summary)
  if (args.has('save')) {
    keepTable(summary, 'x402-clients')
    keepTable(rows, 'x402-clients-checks')
  }
}

type Exposure = {
  /** What the service could settle: for each nonce, its largest payment. */
  readonly usd: number
  readonly nonces: number
  /** Payments that arrived. */
  readonly sends: number
  readonly isBought: boolean
}

const calls = 3

/** Plays a scenario to a client, and sums up what the service could take for one purchase. */
export async function play(scenario: Scenario, start: Start): Promise<Exposure> {
  const { processes = 1, restarts = false, passes = 0, deadline, failsToSend } = scenario
  const service = await startHostileService(scenario)
  const folder = mkdtempSync(join(tmpdir(), 'farebox-payment-faults-'))
  const fetch = failsToSend ? failFirstPayment() : globalThis.fetch
  const clock = Date.now
  let offset = 0
  Date.now = () => clock() + offset
  try {
    const open = () =>
      Promise.all(
        Array.from({ length: processes }, () => start({ origin: service.origin, folder, fetch })),
      )
    let clients = await open()
    let isBought = false
    for (let call = 0; call < calls && !isBought; call++) {
      if (restarts && call > 0) clients = await open()
      const results = await Promise.allSettled(
        clients.map((buy) =>
          buy(deadline === undefined ? undefined : AbortSignal.timeout(deadline)),
        ),
      )
      isBought = results.some((result) => result.status === 'fulfilled' && result.value)
      offset += passes
    }
    return { ...sumUp(service.received), isBought }
  } finally {
    Date.now = clock
    service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function sumUp(received: readonly Authorization[]): Omit<Exposure, 'isBought'> {
  const largest = new Map<string, bigint>()
  for (const { nonce, value } of received) {
    const earlier = largest.get(nonce) ?? 0n
    if (BigInt(value) > earlier || earlier === 0n) largest.set(nonce, BigInt(value))
  }
  const units = [...largest.values()].reduce((sum, value) => sum + value, 0n)
  return { usd: Number(units) / 1e6, nonces: largest.size, sends: received.length }
}

/** A fetch whose first payment is not sent. */
function failFirstPayment(): typeof globalThis.fetch {
  const { fetch } = globalThis
  let isFirst = true
  return async (input, init) => {
    const request = new Request(input, init)
    const isPaid = [...request.headers.keys()].some((name) => /payment/.test(name))
    if (!isPaid || !isFirst) return fetch(request)
    isFirst = false
    throw new TypeError('fetch failed')
  }
}
