import { setTimeout as sleep } from 'node:timers/promises'
import { samples } from '@farebox/faults/orders'
import { send } from '@farebox/faults/send'
import { createServiceProcess } from '@farebox/faults/service-process'
import type { Database } from '@farebox/service'
import { openKey } from './payers.js'
import type { Case } from './sum-up.js'

const patienceMs = 60_000

/** Uses every priced operation of the contract by a key with a limit, which must count each. */
export async function checkRoutes(databaseUrl: string, database: Database): Promise<Case> {
  const service = await createServiceProcess(databaseUrl)
  try {
    await service.start()
    const { caller, entries } = await openKey(service.origin, 1_000_000n)
    for (const { message } of samples) {
      const { headers, ...rest } = message()
      await send(service.origin, { ...rest, headers: { ...headers, ...(await caller.headers()) } })
    }
    // a video is paid for once it is made
    for (const until = performance.now() + patienceMs; ; await sleep(250)) {
      const [row] = await database.query<{ count: bigint }>(
        `select count(*) as count from entry where key_id = $1 and type = 'CHARGE' and amount < 0`,
        [entries.value],
      )
      const counted = Number(row?.count ?? 0n)
      if (counted >= samples.length || performance.now() > until)
        return { checked: samples.length, wrong: samples.length - counted }
    }
  } finally {
    await service.kill()
  }
}
