import { randomUUID } from 'node:crypto'
import { createKeyCaller, type Caller, type WalletCaller } from './callers.js'
import type { ApiKey, Knowledge, Purchase, TopUp } from './knowledge.js'
import { createJsonMessage, createOrder, type Prices } from './orders.js'
import type { Random } from './random.js'
import { send, type HangUp, type Message, type RequestOutcome } from './send.js'
import { adminKey, type ServiceProcess } from './service-process.js'

/** Requests of random callers, with what each saw of them. */
export type Traffic = {
  readonly knowledge: Knowledge
  /** Requests by operation and outcome. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly count: () => number
  /** Sends something that is paid for, or asks a question that is free. */
  readonly step: (caller: Caller | WalletCaller, random: Random) => Promise<void>
  /** Pays once, and sends the payment up to `times` times. */
  readonly topUp: (wallet: WalletCaller, random: Random, times: number) => Promise<boolean>
  /**
   * A caller with an API key that has a limit: with a new one while the rate limit of new keys has
   * room, else with an earlier one. Undefined if the response did not come.
   */
  readonly keyCaller: (random: Random) => Promise<Caller | undefined>
}

const admin = createKeyCaller(adminKey)
const topUpUsd = 5
/** Of new keys. One that has spent its limit is not used again: its rejections count as failures. */
const keyLimitsUsd = [0.05, 1, 1] as const

/**
 * New API keys in any minute. The contract allows 20 (`apiKeyCreation`), of which the check after
 * the faults needs two.
 */
const newKeys = { most: 15, withinMs: 61_000 }

export function createTraffic(
  services: readonly [ServiceProcess, ...(readonly ServiceProcess[])],
  prices: Prices,
): Traffic {
  const purchases: Purchase[] = []
  const topUps: TopUp[] = []
  const keys: ApiKey[] = []
  const keyCallers = new Set<Caller>()
  const keysAskedAt: number[] = []
  const outcomes = new Map<string, Map<string, number>>()
  let sent = 0

  const sendFrom = async (
    caller: Caller,
    operation: string,
    message: Message,
    random: Random,
    hangUp?: HangUp,
  ): Promise<RequestOutcome> => {
    const { origin } = random.pick(services)
    const seen = await send(
      origin,
      { ...message, headers: { ...message.headers, ...(await caller.headers()) } },
      hangUp,
    )
    const outcome = seen.kind === 'lost' ? 'lost' : seen.isWhole ? String(seen.status) : 'cut'
    const counts = outcomes.get(operation) ?? new Map<string, number>()
    outcomes.set(operation, counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
    sent++
    return seen
  }

  /** An order with an Idempotency-Key may be repeated, also while it is under way. */
  const purchase = async (caller: Caller, random: Random) => {
    const { sample, message, price } = createOrder(random, prices)
    const { operation, model, isVideo, sellsParts } = sample
    const seen: RequestOutcome[] = []
    const hasKey = random.happens(0.5)
    purchases.push({
      account: caller.account,
      model,
      price,
      hasKey,
      seen,
      ...(isVideo && { isVideo }),
      ...(sellsParts && { sellsParts }),
    })
    const headers = { ...message.headers, ...(hasKey && { 'idempotency-key': randomUUID() }) }
    const once = async () => {
      const hangUp = random.happens(0.15)
        ? random.pick<HangUp>(['in the request', 'in the response'])
        : undefined
      const one = await sendFrom(caller, operation, { ...message, headers }, random, hangUp)
      if (one.kind === 'response' && one.status === 402) keyCallers.delete(caller)
      seen.push(one)
    }
    await Promise.all([once(), ...(hasKey && random.happens(0.3) ? [once()] : [])])
    if (hasKey && random.happens(0.5)) await once()
  }

  const topUp: Traffic['topUp'] = async (wallet, random, times) => {
    const header = await wallet.pay(topUpUsd)
    const seen: RequestOutcome[] = []
    topUps.push({ account: wallet.account, amount: BigInt(topUpUsd * 1e6), seen })
    const message: Message = {
      method: 'POST',
      path: '/x402/top-up',
      headers: { 'payment-signature': header },
    }
    for (let count = 0; count < times; count++) {
      const one = await sendFrom(wallet, 'topUp', message, random)
      seen.push(one)
      if (one.kind === 'response' && one.status === 200) return true
    }
    return false
  }

  return {
    knowledge: { purchases, topUps, keys },
    outcomes,
    count: () => sent,
    topUp,

    keyCaller: async (random) => {
      const now = performance.now()
      const [first, ...others] = keyCallers
      const isFull = (keysAskedAt.at(-newKeys.most) ?? -Infinity) > now - newKeys.withinMs
      if (isFull) return first && random.pick([first, ...others])
      keysAskedAt.push(now)
      const usd = random.pick(keyLimitsUsd)
      const limits = { consumptionLimit: { usd }, limitPeriod: 'LIFETIME' }
      const message = createJsonMessage('/api_keys', {
        apiKeyType: 'INFERENCE',
        description: 'faults',
        ...limits,
      })
      const seen = await sendFrom(admin, 'createApiKey', message, random)
      if (seen.kind === 'lost' || seen.status !== 200 || !seen.isWhole) return undefined
      const { data } = JSON.parse(seen.body.toString()) as {
        readonly data: { readonly id: string; readonly apiKey: string }
      }
      keys.push({ id: data.id, limit: BigInt(usd * 1e6) })
      const caller = createKeyCaller(data.apiKey)
      keyCallers.add(caller)
      return caller
    },

    step: async (caller, random) => {
      const chance = random.below(100)
      if (chance >= 20 || !('address' in caller)) return purchase(caller, random)
      if (chance < 6) return void (await topUp(caller, random, 1 + random.below(3)))
      const [operation, path] = random.pick([
        ['getBalance', `/x402/balance/${caller.address}`],
        ['listTransactions', `/x402/transactions/${caller.address}?limit=5`],
      ] as const)
      await sendFrom(caller, operation, { method: 'GET', path, headers: {} }, random)
    },
  }
}
