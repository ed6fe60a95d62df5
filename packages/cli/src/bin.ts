#!/usr/bin/env node
import { readVersion } from './version.js'

// This check comes before every import of what an older Node would fail to link, with a message
// that does not name the cause.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `farebox: this is Node ${process.versions.node}; it needs Node 20.19 or later, which is at https://nodejs.org.\n`,
  )
  process.exitCode = 1
} else if (process.argv.length === 3 && process.argv[2] === '--version') {
  // no parser, which takes as long to load as Node takes to start; and its reader may have left
  process.stdout.on('error', () => process.exit()).write(`${readVersion()}\n`)
} else await (await import('./run.js')).main()
