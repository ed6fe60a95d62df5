import { fileURLToPath } from 'node:url'
import { summarize } from './summarize.js'

// Names each failed test with its reason, then prints the count of all tests of all packages as the
// last line. Exits with 1 if one failed or a report is missing.
const { passed, failures, missing } = summarize(fileURLToPath(new URL('../../..', import.meta.url)))
for (const { name, reason } of failures) process.stdout.write(`FAILED: ${name}\n${reason.replaceAll(/^/gm, '    ')}\n`)
for (const folder of missing) process.stdout.write(`FAILED: ${folder} has no test report: its tests did not run to their end.\n`)
const failed = failures.length + missing.length
process.stdout.write(`${passed} passed, ${failed} failed\n`)
if (passed === 0 || failed > 0) process.exitCode = 1
