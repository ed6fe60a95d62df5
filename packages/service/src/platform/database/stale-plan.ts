/**
 * "Cached plan must not change result type": a migration has changed a table under a planned
 * statement, which was not run.
 */
export const stalePlan = '0A000'
