import pg from 'pg'
import type { DatabaseUrl, SessionTarget } from './database-url.js'
import { describeError } from './storage-error.js'

/** Connections to the hosts of one database, of which one host is used at a time. */
export type Hosts = {
  /**
   * Runs on a free connection. One whose work failed is closed, unless the error shows that it is
   * intact: it may be broken, or that of a primary that has become a standby.
   */
  readonly use: <T>(
    work: (client: pg.PoolClient) => Promise<T>,
    isIntact?: (error: unknown) => boolean,
  ) => Promise<T>
  readonly end: () => Promise<void>
}

/** Whether a session is of the server that is looked for. */
const accepts: Readonly<Record<Exclude<SessionTarget, 'any'>, (found: Session) => boolean>> = {
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
}

type Session = { readonly isReadOnly: boolean; readonly isStandby: boolean }

const readSession = `select current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_is_in_recovery() as "isStandby"`

/** The driver's, of a pool whose connections are all in use: the host works. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/**
 * Connects to the host that was used last, and to the next one if that is away or not the server
 * that is looked for. Each connection is asked once: a server that changes its role ends all.
 */
export function openHosts({ hosts, target }: DatabaseUrl, config: pg.PoolConfig): Hosts {
  const pools = hosts.map((connectionString) => {
    const pool = new pg.Pool({ ...config, connectionString })
    // the pool replaces idle connections that break
    pool.on('error', () => undefined)
    // the statement of one that breaks in use rejects
    pool.on('connect', (client) => void client.on('error', () => undefined))
    return pool
  })
  const checked = new WeakSet<pg.PoolClient>()
  let used = 0

  const connectTo = async (pool: pg.Pool | undefined): Promise<pg.PoolClient> => {
    if (!pool) throw new Error('There is no such host')
    const client = await pool.connect()
    if (target === 'any' || checked.has(client)) return client
    try {
      const { rows } = await client.query<Session>(readSession)
      if (!rows[0] || !accepts[target](rows[0])) throw new Error(`the server is not ${target}`)
      checked.add(client)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  const connectToAny = async (): Promise<pg.PoolClient> => {
    const start = used
    const failures: unknown[] = []
    for (;;) {
      const place = (start + failures.length) % pools.length
      try {
        const client = await connectTo(pools[place])
        used = place
        return client
      } catch (error) {
        failures.push(error)
        if (isBusy(error)) throw error
        if (failures.length === pools.length)
          throw new Error(failures.map(describeError).join('; '), { cause: error })
      }
    }
  }

  const connect = pools.length === 1 ? () => connectTo(pools[0]) : connectToAny

  return {
    use: async (work, isIntact = () => false) => {
      const client = await connect()
      let isUsable = true
      try {
        return await work(client)
      } catch (error) {
        isUsable = isIntact(error)
        throw error
      } finally {
        client.release(!isUsable)
      }
    },
    end: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  }
}
