import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@farebox/service'
import type { Caller } from '@farebox/faults/callers'
import type { Random } from '@farebox/faults/random'
import type { ServiceProcess } from '@farebox/faults/service-process'
import { sendCall, type Call } from './call.js'
import { drawPlan } from './script.js'
import type { MockUpstream } from './upstream.js'

type Services = readonly [ServiceProcess, ...ServiceProcess[]]

export type RoundOptions = {
  readonly services: Services
  readonly caller: Caller
  readonly upstream: MockUpstream
  readonly random: Random
  /** Calls at a time. */
  readonly streams: number
  /** Calls one after the other in each of them, until one is rejected. */
  readonly turns: number
}

/** The process that was killed, and when, with the requests that had an open hold then. */
export type Kill = {
  readonly origin: string
  readonly at: number
  readonly open: ReadonlySet<string>
}

let serial = 0

/** Makes calls at the same time, each at any process. */
export async function playRound(options: RoundOptions): Promise<readonly Call[]> {
  const { streams, turns, random } = options
  const calls: Call[] = []
  await Promise.all(
    Array.from({ length: streams }, async () => {
      const own = random.fork()
      for (let turn = 0; turn < turns; turn++) {
        const call = await makeCall(options, own)
        calls.push(call)
        // a caller that goes on after rejections is blocked
        if (call.outcome === 'rejected') return
      }
    }),
  )
  return calls
}

/** Makes a call. Looks for another process where none listens. */
async function makeCall(
  { services, caller, upstream }: RoundOptions,
  random: Random,
): Promise<Call> {
  const plan = drawPlan(`call-${++serial}`, random)
  for (;;) {
    const { origin } = random.pick(services)
    const call = await sendCall(origin, plan, caller, upstream)
    if (call) return call
    await sleep(250)
  }
}

/** Kills one of the processes in the middle of a round, and starts it again. */
export async function killOne(
  services: Services,
  random: Random,
  database: Database,
): Promise<Kill> {
  await sleep(500 + random.below(1_500))
  const service = random.pick(services)
  await service.kill()
  const at = performance.now()
  const holds = await database.query<{ id: string }>(
    `select request_id as id from hold where state = 'held'`,
  )
  await service.start()
  return { origin: service.origin, at, open: new Set(holds.map(({ id }) => id)) }
}
