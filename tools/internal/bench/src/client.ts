import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { installTarballs } from '@farebox/release/install-packed'
import { cache } from '@farebox/testing/installed'
import { bundleSizes } from './client/bundle-sizes.js'
import { costOfCalls } from './client/cost-of-calls.js'
import { importTimes } from './client/import-times.js'
import type { Limit, Setup } from './client/setup.js'
import { instantiations } from './instantiations.js'
import { roundsFrom } from './rounds.js'
import { installedPeer } from './peer-versions.js'

export async function client(given: Arguments): Promise<void> {
  const rounds = roundsFrom(given.operands, 60)
  const place = join(cache, 'client')
  mkdirSync(place, { recursive: true })
  await installTarballs(place)
  // its ESM entry: an alias to the folder would bundle the CommonJS one, which is half as large
  // again
  const setup: Setup = {
    place,
    openai: join(installedPeer('openai'), 'index.mjs'),
    save: given.has('save'),
  }
  const limits = [
    ...(await bundleSizes(setup)),
    ...(await costOfCalls(setup, rounds)),
    ...typeInstantiations(),
    ...importTimes(setup),
  ]
  const over = limits.filter(({ found, most }) => !(found <= most))
  if (over.length > 0) {
    console.error(
      `Over: ${over.map(({ what, found, most }) => `${what} is ${found.toFixed(2)}, and ${most} is the most`).join('; ')}.`,
    )
    process.exitCode = 1
  }
}

/** The work of the compiler for five operations. */
function typeInstantiations(): readonly Limit[] {
  const counts = instantiations()
  console.log('Type instantiations of five operations. Target: at most 2,000.')
  console.table(
    Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, { instantiations: count }]),
    ),
  )
  return [{ what: 'the number of instantiations of methods', found: counts.methods, most: 2000 }]
}
