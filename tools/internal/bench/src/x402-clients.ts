import { fileURLToPath } from 'node:url'
import type { Arguments } from '@farebox/command-line'
import { verifyX402Client } from '@farebox/conformance/x402'
import { loadClients } from './payment-faults/clients.js'
import { keepTable } from './show-table.js'

const program = fileURLToPath(new URL('payment-faults/client-process.js', import.meta.url))

/** Runs the client checks of `farebox verify-x402` on each client. */
export async function x402Clients(given: Arguments): Promise<void> {
  const rows: Record<string, Record<string, string>> = {}
  const summary: Record<string, Record<string, number>> = {}
  const { signal } = new AbortController()
  for (const name of Object.keys(loadClients())) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const command = [process.execPath, program, name]
    for await (const { id, status } of verifyX402Client({ command, signal })) {
      counts[status]++
      rows[id] = { ...rows[id], [name]: status }
    }
    summary[name] = counts
  }
  console.table(rows)
  console.table(summary)
  if (given.has('save')) {
    keepTable(summary, 'x402-clients')
    keepTable(rows, 'x402-clients-checks')
  }
}
