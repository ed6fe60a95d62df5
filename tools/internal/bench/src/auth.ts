import type { Arguments } from '@farebox/command-line'
import { authSizes } from './auth/auth-sizes.js'
import { contestsWith } from './auth/contests.js'
import { roundsFrom, takeTurns } from './rounds.js'
import { showTable } from './show-table.js'
import { installedPeer } from './peer-versions.js'

/** A rate is that of a busy server, whose code and data the processor has at hand. */
const calls = 20

export async function auth(given: Arguments): Promise<void> {
  const rounds = roundsFrom(given.operands, 60)
  const x402 = installedPeer('@x402/evm', ['@x402/fetch@2.27.0', 'viem@2.57.1'])
  const rates: Record<string, object> = {}
  for (const [name, contest] of Object.entries(await contestsWith(x402))) {
    const times = await takeTurns(contest, { rounds, calls })
    for (const [who, time] of Object.entries(times)) {
      rates[`${who === 'ours' ? 'Farebox' : who}: ${name}`] = {
        'per second': Math.round(1000 / time),
        'our rate / its rate': Number((time / (times['ours'] ?? NaN)).toFixed(2)),
      }
    }
  }
  console.log(
    `Median of ${rounds} rounds that take turns of ${calls} calls, in one run on Node ${process.versions.node}. Above 1: ours is faster.`,
  )
  showTable(rates, given.has('save') && 'auth')
  console.log('Bytes in a browser, minified and compressed.')
  showTable(await authSizes(x402), given.has('save') && 'auth-sizes')
}
