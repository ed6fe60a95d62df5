import { fileURLToPath } from 'node:url'
import { failedTasks } from './failed-tasks.js'
import { summarize } from './summarize.js'

// Names each failed task with the end of its log and each failed test with its reason, then prints
// the count of all tests of all packages as the last line. Exits with 1 if a test failed or a
// report is missing.
const root = fileURLToPath(new URL('../../..', import.meta.url))
const { passed, failures, missing } = summarize(root)
for (const { name, end } of failedTasks(root)) process.stdout.write(`FAILED: ${name}\n${indented(end)}\n`)
for (const { name, reason } of failures) process.stdout.write(`FAILED: ${name}\n${indented(reason)}\n`)
for (const folder of missing) process.stdout.write(`FAILED: ${folder} has no test report: its tests did not run to their end.\n`)
const failed = failures.length + missing.length
process.stdout.write(`${passed} passed, ${failed} failed\n`)
if (passed === 0 || failed > 0) process.exitCode = 1

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
