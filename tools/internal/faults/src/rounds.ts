import { setTimeout as sleep } from 'node:timers/promises'
import { createWallet, type Caller } from './callers.js'
import { faults, type FaultName, type World } from './faults.js'
import type { Random } from './random.js'
import type { Traffic } from './traffic.js'

export type WorkOptions = {
  readonly traffic: Traffic
  readonly random: Random
  /** Wallets, which are new in each round. There are half as many callers with API keys. */
  readonly wallets: number
  /** What each caller does in a round. */
  readonly steps: number
}

export type RoundOptions = WorkOptions & {
  readonly world: World
  readonly faults: readonly FaultName[]
}

/** How long a fault lasts at most. */
const longestFaultMs = 1_500

/** Lets callers work while faults strike, and waits until all callers and faults are done. */
export async function playRound({
  world,
  faults: struck,
  ...options
}: RoundOptions): Promise<void> {
  const { random } = options
  const callers = await openCallers(options)
  const working = callers.map((caller) => runSteps(caller, options))
  const striking = struck.map(async (name) => {
    const own = random.fork()
    await sleep(own.below(200))
    await faults[name](world, own, 100 + own.below(longestFaultMs - 100))
  })
  await Promise.all([...working, ...striking])
}

/** Lets callers work, and waits until all are done. */
export async function work(options: WorkOptions): Promise<void> {
  await Promise.all((await openCallers(options)).map((caller) => runSteps(caller, options)))
}

async function runSteps(caller: Caller, { traffic, random, steps }: WorkOptions): Promise<void> {
  const own = random.fork()
  for (let count = 0; count < steps; count++) await traffic.step(caller, own)
}

/** Wallets with credit, and callers with API keys. */
async function openCallers({ traffic, random, wallets }: WorkOptions): Promise<readonly Caller[]> {
  const opened = Array.from({ length: wallets }, async () => {
    const wallet = createWallet()
    await traffic.topUp(wallet, random, 5)
    return wallet
  })
  const keys = Array.from({ length: Math.ceil(wallets / 2) }, () => traffic.keyCaller(random))
  const callers: readonly (Caller | undefined)[] = [
    ...(await Promise.all(opened)),
    ...(await Promise.all(keys)),
  ]
  return callers.flatMap((caller) => caller ?? [])
}
