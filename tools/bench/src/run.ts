// `pnpm bench NAME [options]`: runs tools/bench/NAME.mjs. Benchmarks print ratios within one run; none of them is a timed test.
import { readFileSync, readdirSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const folder = new URL('./', import.meta.url)
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => file.slice(0, -'.mjs'.length))
  .toSorted()

/** What the first line of a benchmark says that it measures. */
const about = (/** @type {string} */ name) =>
  readFileSync(new URL(`${name}.mjs`, folder), 'utf8')
    .split('\n', 1)[0]
    ?.replace(/^\/\/ /, '')

const usage = `Usage: pnpm bench NAME [options]\n\n${names.map((name) => `  ${name.padEnd(12)}${about(name)}`).join('\n')}`
const [name, ...options] = process.argv.slice(2)

if (name === undefined || name === '--help') {
  console.log(usage)
} else if (names.includes(name)) {
  const file = fileURLToPath(new URL(`${name}.mjs`, folder))
  process.exitCode = spawnSync(process.execPath, [file, ...options], { stdio: 'inherit' }).status ?? 1
} else {
  console.error(`There is no benchmark ${JSON.stringify(name)}.\n\n${usage}`)
  process.exitCode = 2
}
