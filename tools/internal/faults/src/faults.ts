import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnPostgres } from '@farebox/testing/postgres'
import pg from 'pg'
import type { DatabaseLink } from './database-link.js'
import type { Random } from './random.js'
import type { ServiceProcess } from './service-process.js'
import type { SmallDisk } from './small-disk.js'

/** What can be harmed. */
export type World = {
  readonly postgres: OwnPostgres
  readonly services: readonly [ServiceProcess, ServiceProcess]
  readonly links: readonly [DatabaseLink, DatabaseLink]
  /** The disk of the database. Undefined where none could be mounted. */
  readonly disk: SmallDisk | undefined
}

/** Does harm, for `milliseconds` if it lasts. Resolves when all is as before. */
export type Fault = (world: World, random: Random, milliseconds: number) => Promise<void>

/** The statements of an account wait for the lock of another session. */
const lockRows: Fault = async ({ postgres }, random, milliseconds) => {
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('begin')
    const limit = 1 + random.below(3)
    await client.query('select 1 from account order by id desc limit $1 for update', [limit])
    await sleep(milliseconds)
    await client.query('rollback')
  } catch {
    // another fault took the database away
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Milliseconds by which a clock is set wrong. */
const clockSteps = [-3_600_000, -90_000, -5_000, 5_000, 90_000, 3_600_000] as const

export const faults = {
  'kill a service': async ({ services }, random, milliseconds) => {
    const service = random.pick(services)
    await service.kill()
    await sleep(milliseconds)
    await service.start()
  },
  'freeze a service': async ({ services }, random, milliseconds) => {
    const service = random.pick(services)
    service.freeze()
    await sleep(milliseconds)
    service.thaw()
  },
  'step a clock': async ({ services }, random, milliseconds) => {
    const service = random.pick(services)
    service.setClock(random.pick(clockSteps))
    await sleep(milliseconds)
    service.setClock(0)
  },
  'lock rows': lockRows,
  'cut a link': async ({ links }, random, milliseconds) => {
    const restore = random.pick(links).cut()
    await sleep(milliseconds)
    restore()
  },
  'stall a link': async ({ links }, random, milliseconds) => {
    const restore = random.pick(links).stall()
    await sleep(milliseconds)
    restore()
  },
  'freeze the database': async ({ postgres }, _, milliseconds) => {
    const thaw = postgres.freeze()
    await sleep(milliseconds)
    thaw()
  },
  'restart the database': ({ postgres }) => postgres.restart('fast'),
  'restart it at once': ({ postgres }) => postgres.restart('immediate'),
  'kill the database': ({ postgres }) => postgres.crash(),
  'fill its disk': async ({ disk, postgres }, _, milliseconds) => {
    const makeRoom = disk?.fill()
    await sleep(milliseconds)
    makeRoom?.()
    await postgres.revive()
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as [FaultName, ...FaultName[]]
