import type { Database, Row } from '../src/platform/database/database.js'

/** A database that explains each statement before it runs it, and counts the rows of the plans. */
export function countRowsRead(database: Database): Database & { readonly rowsRead: () => number } {
  let read = 0
  return {
    ...database,
    rowsRead: () => read,
    query: async <R extends Row>(sql: string, params: readonly unknown[] = []) => {
      const [first] = await database.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] | string }>(
        `explain (analyze, format json) ${sql}`,
        params,
      )
      const text = first?.['QUERY PLAN'] ?? '[]'
      const [{ Plan }] = (typeof text === 'string' ? JSON.parse(text) : text) as readonly [
        { Plan: Plan },
      ]
      read += countRows(Plan)
      return database.query<R>(sql, params)
    },
  }
}

type Plan = {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Plan[]
}

/** The rows that a plan and its parts read or passed on. */
function countRows(plan: Plan): number {
  const {
    'Rows Removed by Filter': filtered = 0,
    'Rows Removed by Index Recheck': rechecked = 0,
    Plans = [],
  } = plan
  const own = (plan['Actual Rows'] + filtered + rechecked) * plan['Actual Loops']
  return Plans.reduce((sum, part) => sum + countRows(part), own)
}
