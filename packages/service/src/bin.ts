#!/usr/bin/env node
// Imports come after this check, since an older Node fails on them with an unrelated message.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) await import('./command/cli.js')
else {
  process.stderr.write(
    `farebox-service: this is Node ${process.versions.node}; it needs Node 20.19 or later, which is at https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
