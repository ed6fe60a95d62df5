import { ticks } from '../time.js'
import type { Database } from './database.js'

/**
 * The time of the database. Processes that share one have the same time, whatever the clocks of
 * their machines say.
 */
export type DatabaseClock = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** How far the clock of this machine was ahead of the database's, in milliseconds. */
  readonly skewMs: () => number
  /** While the two are so far apart that one of them must be wrong. */
  readonly fault: () => Error | undefined
  /** Compares the two again. */
  readonly compare: () => Promise<void>
}

/** If two clocks differ by more, one of them is wrong, and sign-in messages are rejected. */
export const maxSkewMs = 30_000

/** Compares the clock of this machine with the database's now, and whenever `compare` is called. */
export async function openDatabaseClock(
  database: Database,
  machineNow: () => number = Date.now,
): Promise<DatabaseClock> {
  let skew = 0
  let compared = { machine: 0, steady: 0 }
  const compare = async () => {
    skew = await readSkewMs(database, machineNow)
    compared = { machine: machineNow(), steady: ticks() }
  }
  await compare()
  return {
    // The steady clock does not follow when somebody sets the clock of the machine, but it stands
    // still while a virtual machine is suspended.
    now: () =>
      compared.machine -
      skew +
      Math.max(ticks() - compared.steady, machineNow() - compared.machine),
    skewMs: () => skew,
    fault: () => (Math.abs(skew) > maxSkewMs ? new Error(describeSkew(skew)) : undefined),
    compare,
  }
}

/** A clock without comparison. */
export function createFixedClock(now: () => number): DatabaseClock {
  return { now, skewMs: () => 0, fault: () => undefined, compare: async () => undefined }
}

/** How far a clock is ahead of the database's, in milliseconds. */
export async function readSkewMs(database: Database, machineNow: () => number): Promise<number> {
  const before = machineNow()
  const [row] = await database.query<{ now: Date }>('select clock_timestamp() as now')
  // the response took its time
  const middle = (before + machineNow()) / 2
  return middle - (row?.now.getTime() ?? middle)
}

function describeSkew(skewMs: number): string {
  const distance = `${(Math.abs(skewMs) / 1000).toFixed(0)} s ${skewMs < 0 ? 'behind' : 'ahead of'}`
  return `The clock of this machine is ${distance} that of the database. Until they agree within ${maxSkewMs / 1000} s, this process is not ready and deletes nothing. Synchronize both by NTP.`
}
