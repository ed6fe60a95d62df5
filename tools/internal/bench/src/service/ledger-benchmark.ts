import { keepTable } from '../show-table.js'
import { rateOnPglite, ratesOnPostgres } from './ledger-rates.js'

/** Holds with captures beside the bare statements of one, on PostgreSQL and on PGlite. */
export async function ledgerBenchmark(rounds: number, save: boolean): Promise<void> {
  const table: Record<string, object> = {}
  const parties: Record<string, object> = {}
  for (const wallets of [1, 1_000]) {
    const options = { wallets, rounds, milliseconds: 2_000, connections: 10 }
    const { ledger, crowd, bare, pgbench, faults } = await ratesOnPostgres(options)
    const pglite = await rateOnPglite({ wallets, milliseconds: 3_000 })
    const of = `${wallets.toLocaleString('en')} wallet${wallets === 1 ? '' : 's'}`
    const rates = {
      Farebox: ledger,
      'bare statements': bare,
      ...(pgbench !== undefined && { pgbench }),
    }
    for (const [who, rate] of Object.entries(rates))
      parties[`${who}: ${of}`] = { 'charges/s': Math.round(rate) }
    table[of] = {
      'ledger, charges/s': Math.round(ledger),
      'of 100 callers': Math.round(crowd),
      'bare statements, prepared': Math.round(bare),
      'ledger / bare': (ledger / bare).toFixed(2),
      pgbench: pgbench === undefined ? 'not installed' : Math.round(pgbench),
      'ledger / pgbench': pgbench === undefined ? '' : (ledger / pgbench).toFixed(2),
      'differences in the audit': faults,
      'PGlite, charges/s': Math.round(pglite),
    }
  }
  console.log(
    `Charges, each a hold and then its capture, on PostgreSQL over 10 connections by 10 callers, median of ${rounds} rounds that take turns. Target: ledger / pgbench >= 0.70. The bare statements and pgbench do one at a time; the ledger, those that come at once.`,
  )
  console.table(table)
  // a row for each party, as charts need it
  if (save) keepTable(parties, 'service-ledger')
}
