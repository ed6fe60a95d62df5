#!/usr/bin/env node
// Imports come after the check: an older Node fails to link them, with a message that does not name
// the version.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) {
  const { setFlagsFromString } = await import('node:v8')
  // Documents and programs are large and kept to the end, in a run of seconds. Without optimized code
  // and a growing nursery, they take a sixth less memory and no more time. Both flags are old.
  setFlagsFromString('--no-opt')
  setFlagsFromString('--semi-space-growth-factor=1')
  const [{ world }, { impact }, { createTerminalAsk }] = await Promise.all([
    import('@farebox/command-line'),
    import('./command/impact.js'),
    import('./renamed/confirm-renames.js'),
  ])
  process.exitCode = await impact(process.argv.slice(2), world, createTerminalAsk())
} else {
  process.stderr.write(
    `farebox-impact: this is Node ${process.versions.node}; it needs Node 20.19 or later, which is at https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
