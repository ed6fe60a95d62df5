import { createKeyCaller, createWallet, type Caller } from '@farebox/faults/callers'
import { createJsonMessage } from '@farebox/faults/orders'
import { send } from '@farebox/faults/send'
import { adminKey } from '@farebox/faults/service-process'
import type { Database } from '@farebox/service'
import { fundWallets } from '../service/internals.js'
import type { Payer } from './sum-up.js'

/** A payer that can make calls. */
export type OpenPayer = Payer & { readonly caller: Caller }

/** An API key with a limit in micro-USD. Its account has more. */
export async function openKey(origin: string, budget: bigint): Promise<OpenPayer> {
  const message = createJsonMessage('/api_keys', {
    apiKeyType: 'INFERENCE',
    description: 'bench',
    consumptionLimit: { usd: Number(budget) / 1e6 },
    limitPeriod: 'LIFETIME',
  })
  const headers = { ...message.headers, ...(await createKeyCaller(adminKey).headers()) }
  const seen = await send(origin, { ...message, headers })
  if (seen.kind !== 'response' || seen.status !== 200)
    throw new Error(`No key was made: ${JSON.stringify(seen)}`)
  const { data } = JSON.parse(seen.body.toString()) as {
    readonly data: { readonly id: string; readonly apiKey: string }
  }
  return {
    name: 'key',
    caller: createKeyCaller(data.apiKey),
    entries: { column: 'e.key_id', value: data.id },
    budget,
  }
}

/** A wallet with a balance in micro-USD, below what a top-up can be. */
export async function openWallet(database: Database, budget: bigint): Promise<OpenPayer> {
  const caller = createWallet()
  const { ledger } = await fundWallets(database, 0)
  await ledger.grant(caller.account, budget)
  return { name: 'wallet', caller, entries: { column: 'a.name', value: caller.account }, budget }
}
