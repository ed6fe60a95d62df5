import { readFileSync } from 'node:fs'

/**
 * Ends the process on a Node that is older than package.json says, with a sentence: what comes
 * after may not even load there.
 */
export function requireNode() {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const [, neededMajor = 0, neededMinor = 0] =
    /^>=(\d+)\.(\d+)$/.exec(engines.node)?.map(Number) ?? []
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return
  const needed = `${neededMajor}.${neededMinor}`
  console.error(
    `This is Node ${process.versions.node}; Farebox needs Node ${needed} or later, which is at https://nodejs.org.`,
  )
  process.exit(1)
}
