// Ends the process on a Node that is older than package.json says. Imported first, or run by itself: what comes after may not even load there.
import { readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const [, neededMajor, neededMinor] = /^>=(\d+)\.(\d+)$/.exec(engines.node)?.map(Number) ?? []
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(`This is Node ${process.versions.node}; Farebox needs Node ${neededMajor}.${neededMinor} or later, which is at https://nodejs.org.`)
  process.exit(1)
}
