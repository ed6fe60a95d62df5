import { statSync } from 'node:fs'

// Node shares the result of the last synchronous stat of a process. If that was a socket or a pipe,
// as after the removal of a folder with one, its `realpathSync` stops at the first folder that it
// knows. A module is then loaded by the path of a link, does not find its own dependencies, and
// the loader keeps that failure. Vitest runs this before the imports of each file.
statSync('.')
