import type { Database } from '../src/platform/database/database.js'

/** Answers until a statement of its life, and then never again. */
export function makeMortal(database: Database, diesAt: number) {
  let statements = -Infinity
  const die = async (): Promise<never> => Promise.reject(new Error('The process was killed.'))
  const until = async <T>(run: () => Promise<T>): Promise<T> => {
    return ++statements < diesAt ? run() : die()
  }
  return {
    begin: () => void (statements = 0),
    isDead: () => statements >= diesAt,
    database: {
      query: (sql, params) => until(() => database.query(sql, params)),
      transaction: (all) => until(() => database.transaction(all)),
      close: async () => undefined,
    } satisfies Database as Database,
  }
}
