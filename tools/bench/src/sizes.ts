// what one validator costs a browser: imported from the output for GitHub's REST document, minified and compressed
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundled, generated } from './lib/generated.mjs'
import { installed } from './lib/installed.mjs'

const budgets = { full: 27 * 1024, mini: 7 * 1024, core: 6 * 1024 }
/** Six properties, and twenty-two. The others are printed only. */
const small = 'LicenseSimple'
const medium = 'SimpleUser'
const others = ['label', 'PublicUser', 'repository']

const spec = join(installed('@octokit/openapi', '23.0.2'), 'generated/api.github.com.json')
const table = {}
const over = []
for (const flavour of /** @type {const} */ (['full', 'mini', 'core'])) {
  const index = await generated(spec, 'github', flavour)
  for (const name of [small, medium, ...others]) {
    const bytes = await bundled(`export { ${name} } from ${JSON.stringify(index)}`, { minify: true })
    const size = gzipSync(bytes, { level: 9 }).length
    const held = name === small || name === medium
    if (held && size > budgets[flavour]) over.push(`${name} (${flavour})`)
    table[`${name}, ${flavour}`] = { minified: bytes.length, compressed: size, budget: held ? budgets[flavour] : undefined }
  }
}
console.table(table)
if (over.length > 0) {
  console.error(`Over their budget: ${over.join(', ')}.`)
  process.exitCode = 1
}
