#!/usr/bin/env node
// Nothing is imported before this: an older Node fails at what it cannot link, and speaks of anything but itself.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) await import('./main.js')
else {
  process.stderr.write(`farebox: this is Node ${process.versions.node}; it needs Node 20.19 or later, which is at https://nodejs.org.\n`)
  process.exitCode = 1
}
