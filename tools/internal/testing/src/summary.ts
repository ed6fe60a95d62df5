import { fileURLToPath } from 'node:url'
import { listFailedTasks, summarize } from './summarize.js'

// Shows the end of the log of each failed task and the reason of each failed test. Then the last
// lines name them, and the very last one counts the tests of all packages. Exits with 1 if
// something failed or a report is missing. Operands name what failed besides; `--some` says that
// not every package was tested.
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const operands = process.argv.slice(2)
const { passed, failures, missing } = summarize(root)
const tasks = listFailedTasks(root, [
  ...(operands.includes('--some') ? [] : missing),
  ...failures.map(({ folder }) => folder),
])
for (const { name, end } of tasks) show(name, end)
for (const { name, reason } of failures) show(name, reason)

const failed = [
  ...tasks.map(({ name }) => name),
  ...operands.filter((operand) => operand !== '--some'),
  ...(operands.includes('--some')
    ? []
    : missing.map((folder) => `${folder} has no test report: its tests did not run to their end`)),
  ...failures.map(({ name }) => name),
]
for (const name of failed) process.stdout.write(`FAILED: ${name}\n`)
process.stdout.write(`${passed} passed, ${failed.length} failed\n`)
if (passed === 0 || failed.length > 0) process.exitCode = 1

function show(name: string, text: string): void {
  process.stdout.write(`${name}\n${text.replaceAll(/^/gm, '    ')}\n\n`)
}
