// `node tools/internal/compat/dist/run.js` runs both matrices and writes what the site shows. `--check` compares it instead,
// `--only inference` or `--only middleware` runs one of them.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findInferenceFaults, runInference } from './inference.js'
import { findFaults, readRecordedMatrix, runMatrix, withRecorded } from './matrix.js'

const faults: string[] = []
const at = process.argv.indexOf('--only')
const only = at < 0 ? undefined : process.argv[at + 1]

/** Writes a result, or compares it with what was written before. */
function record(name: string, result: unknown): void {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url))
  const text = `${JSON.stringify(result, undefined, 2)}\n`
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (text !== readFileSync(file, 'utf8'))
    faults.push(`${file} is another one; \`node tools/internal/compat/dist/run.js\` writes it.`)
}

if (only !== 'inference') {
  const matrix = await runMatrix()
  faults.push(...findFaults(matrix))
  record('matrix.json', withRecorded(matrix, readRecordedMatrix()))
}
if (only !== 'middleware') {
  const found = await runInference()
  faults.push(...findInferenceFaults(found))
  record('inference.json', found)
}

for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
