import { openPostgres } from '../src/platform/database/postgres.js'
import type { Database } from '../src/platform/database/database.js'
import { openEmptyDatabase } from './empty-database.js'
import { startPostgres } from '@farebox/testing/postgres'

export type OpenDatabase = {
  readonly database: Database
  /** The same database in one session, as a backup reads it. Closed with the others. */
  readonly session: () => Promise<Database>
  readonly close: () => Promise<void>
}

/** Both engines, for what must hold on each. */
export const engines: readonly {
  readonly engine: string
  readonly open: () => Promise<OpenDatabase>
}[] = [
  {
    engine: 'PGlite',
    open: async () => {
      const database = await openEmptyDatabase()
      return { database, session: async () => database, close: database.close }
    },
  },
  {
    engine: 'PostgreSQL',
    open: async () => {
      const server = await startPostgres()
      const database = await openPostgres(server.url)
      const sessions: Database[] = []
      const session = async () => {
        const opened = await openPostgres(server.url, { oneSession: true })
        sessions.push(opened)
        return opened
      }
      const close = async () => {
        for (const one of [database, ...sessions]) await one.close()
        await server.stop()
      }
      return { database, session, close }
    },
  },
]
