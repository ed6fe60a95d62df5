#!/usr/bin/env node
// This check comes before every import: an older Node would fail to link them, with a message that
// does not name the cause.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19))
  await (await import('./run-command.js')).runCommand()
else {
  process.stderr.write(
    `farebox: this is Node ${process.versions.node}; it needs Node 20.19 or later, which is at https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
