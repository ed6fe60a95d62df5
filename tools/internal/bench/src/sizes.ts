import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { cache, installPackage } from '@farebox/testing/install-package'
import { measureSize, generateZod, withZod } from './bundled.js'
import { keepTable, showTable } from './measure.js'

const titles = { full: 'zod', mini: 'zod/mini', core: "zod's core" } as const
const budgets = { full: 27 * 1024, mini: 7 * 1024, core: 6 * 1024 }
/** Six properties, and twenty-two. The others are only printed. */
const small = 'LicenseSimple'
const medium = 'SimpleUser'
const others = ['label', 'PublicUser', 'repository']

/** Compares the bundles of single validators of GitHub's REST document with their budgets. */
export async function benchmarkSizes(args: Arguments): Promise<void> {
  const spec = join(installPackage('@octokit/openapi', '23.0.2'), 'generated/api.github.com.json')
  const table: Record<string, object> = {}
  const sizes: Record<string, Record<string, number>> = {}
  const over: string[] = []
  for (const flavour of ['full', 'mini', 'core'] as const) {
    const index = await generateZod(spec, 'github', flavour)
    for (const name of [small, medium, ...others]) {
      const size = await measureSize(
        `export { ${name} } from ${JSON.stringify(index)}`,
        cache,
        withZod,
      )
      const budget = name === small || name === medium ? budgets[flavour] : undefined
      if (budget !== undefined && size.compressed > budget) over.push(`${name} (${flavour})`)
      table[`${name}, ${flavour}`] = { ...size, budget }
      sizes[name] = { ...sizes[name], [titles[flavour]]: size.compressed }
    }
  }
  showTable(table, false)
  // a row for each validator, as the site shows them
  if (args.has('save')) keepTable(sizes, 'sizes')
  if (over.length > 0) {
    console.error(`Over their budget: ${over.join(', ')}.`)
    process.exitCode = 1
  }
}
