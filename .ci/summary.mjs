// Prints the test runner's own count once more, so that it is the last line of the log.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync(new URL('report.json', import.meta.url), 'utf8'))
console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed`)
if (report.numPassedTests === 0 || report.numFailedTests > 0) process.exitCode = 1
