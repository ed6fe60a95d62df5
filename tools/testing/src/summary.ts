import { fileURLToPath } from 'node:url'
import { summarize } from './summarize.js'

// Prints the count of all tests of all packages as one line, and exits with 1 if one failed or a report is missing.
const { passed, failed, missing } = summarize(fileURLToPath(new URL('../../..', import.meta.url)))
for (const folder of missing) process.stderr.write(`${folder} has no test report: its tests did not run to their end.\n`)
process.stdout.write(`${passed} passed, ${failed + missing.length} failed\n`)
if (passed === 0 || failed + missing.length > 0) process.exitCode = 1
