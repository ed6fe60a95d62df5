// `pnpm compat` runs the matrix and writes what the site shows. `--check` compares it instead.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findFaults, recordedMatrix, runMatrix, withRecorded } from './matrix.js'

const file = fileURLToPath(new URL('../matrix.json', import.meta.url))
const found = await runMatrix()
const written = (matrix: unknown): string => `${JSON.stringify(matrix, undefined, 2)}\n`
const matrix = withRecorded(found, recordedMatrix())
const faults = [...findFaults(found)]
if (!process.argv.includes('--check')) writeFileSync(file, written(matrix))
else if (written(matrix) !== written(recordedMatrix()))
  faults.push(`${file} is another one; \`pnpm compat\` writes it.`)

for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
