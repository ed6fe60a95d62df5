import type { Arguments } from '@farebox/command-line'
import { loadClients } from './payment-faults/clients.js'
import { play, type Exposure } from './payment-faults/play.js'
import { scenarios } from './payment-faults/scenarios.js'
import { keepTable } from './show-table.js'

/** What ours may expose for a purchase of 5 USD, in any scenario. */
const mostUsd = 5

/**
 * Plays every scenario to every client, and prints how many dollars the service could take for one
 * purchase of 5 USD. The exit code is 0 if ours exposes one amount in all of them.
 */
export async function paymentFaults(given: Arguments): Promise<void> {
  process.on('unhandledRejection', () => undefined)
  const clients = Object.entries(loadClients())
  const rows: Record<string, Record<string, string>> = {}
  const sums = clients.map(() => ({ worst: 0, doubled: 0 }))
  for (const scenario of scenarios) {
    const cells: [string, string][] = []
    for (const [column, [name, start]] of clients.entries()) {
      const exposure = await play(scenario, start)
      cells.push([name, describe(exposure)])
      const sum = sums[column]
      if (!sum) continue
      sum.worst = Math.max(sum.worst, exposure.usd)
      if (exposure.nonces > 1) sum.doubled++
    }
    rows[scenario.title] = Object.fromEntries(cells)
  }
  console.log('USD that the service could take for one purchase of 5 USD, and by how many nonces:')
  console.table(rows)
  const summary = Object.fromEntries(
    clients.map(([name], column) => [
      name,
      {
        'most USD exposed': sums[column]?.worst ?? 0,
        [`purchases with more than one payment, of ${scenarios.length}`]:
          sums[column]?.doubled ?? 0,
      },
    ]),
  )
  console.table(summary)
  if (given.has('save')) {
    keepTable(summary, 'payment-faults')
    keepTable(rows, 'payment-faults-scenarios')
  }
  process.exit((sums[0]?.worst ?? Infinity) <= mostUsd ? 0 : 1)
}

function describe({ usd, nonces, isBought }: Exposure): string {
  const more = nonces > 1 ? ` (${nonces} nonces)` : ''
  return `${usd}${more}${isBought ? ', bought' : ''}`
}
