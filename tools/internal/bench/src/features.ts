import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { cache } from '@farebox/testing/installed'
import { runProbe, type Outcome } from './features/outcome.js'
import { peers } from './features/peers.js'
import { newerNode } from '@farebox/testing/runtimes'
import { probes } from './features/probes.js'
import { root } from './root.js'

const work = join(cache, 'features')

/** Each feature with each generator: generated and run. */
export async function features(given: Arguments): Promise<void> {
  rmSync(work, { recursive: true, force: true })
  const [node, all] = [newerNode(), peers()]
  const outcomes: Record<string, Record<string, Outcome>> = {}
  for (const [index, probe] of probes.entries()) {
    const row: Record<string, Outcome> = {}
    for (const [at, peer] of all.entries())
      row[peer.name] = await runProbe(peer, probe, join(work, `${index}-${at}`), node)
    outcomes[probe.feature] = row
    console.log(
      `${probe.feature}: ${all.map(({ name }) => `${name} ${row[name]?.has === true ? 'yes' : `no (${row[name]?.why})`}`).join('; ')}`,
    )
  }
  const cells = Object.entries(outcomes).map(([feature, row]) => [
    feature,
    Object.fromEntries(Object.entries(row).map(([name, { has }]) => [name, has ? 'yes' : 'no'])),
  ])
  console.table(Object.fromEntries(cells))
  if (!given.has('save')) return
  const found = { generators: all.map(({ name }) => name), outcomes }
  writeFileSync(
    join(root, 'tools/internal/bench/results/features.json'),
    `${JSON.stringify(found, undefined, 2)}\n`,
  )
}
