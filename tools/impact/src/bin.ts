#!/usr/bin/env node
// Imports come after the check: an older Node fails to link them, with a message that does not name
// the version.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) {
  const { setFlagsFromString } = await import('node:v8')
  // Documents and programs are large and kept to the end, in a run of seconds. With slow growth of the
  // heap and without optimized code, they take a fifth less memory, for up to a second more. On a
  // busy machine, a collector that marks beside the program falls behind. Node 20 to 24 know each
  // of these flags.
  setFlagsFromString('--no-opt')
  setFlagsFromString('--no-maglev')
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  setFlagsFromString('--no-incremental-marking')
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
