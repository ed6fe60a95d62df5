import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Start } from './clients.js'
import { startHostileService, type Authorization } from '@farebox/conformance/x402'
import type { Scenario } from './scenarios.js'

export type Exposure = {
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
