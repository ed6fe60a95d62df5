import { openPostgres } from '../src/platform/database/postgres.js'
import type { Database } from '../src/platform/database/database.js'
import { emptyDatabase } from './empty-database.js'
import { startPostgres } from './postgres.js'

export type OpenDatabase = { readonly database: Database; readonly close: () => Promise<void> }

/** Both engines, for what must hold on each. */
export const engines: readonly { readonly engine: string; readonly open: () => Promise<OpenDatabase> }[] = [
  {
    engine: 'PGlite',
    open: async () => {
      const database = await emptyDatabase()
      return { database, close: database.close }
    },
  },
  {
    engine: 'PostgreSQL',
    open: async () => {
      const server = await startPostgres()
      const database = await openPostgres(server.url)
      const close = async () => {
        await database.close()
        await server.stop()
      }
      return { database, close }
    },
  },
]
