#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { world } from '@farebox/command-line'
import { specDiff } from './command/spec-diff.js'

// Most runs end before V8's optimizing compilers pay off, and so does a collector of several threads: a
// third of the CPU time. A function that stays hot is still optimized. Space for new values that does
// not grow halves the memory. V8 prints a line for a flag that it does not know, and the limits of
// the compilers have other names since Node 22.
const limits =
  Number.parseInt(process.versions.node, 10) < 22
    ? ['--interrupt-budget=5000000']
    : ['--invocation-count-for-maglev=4000', '--invocation-count-for-turbofan=30000']
for (const flag of [...limits, '--no-parallel-scavenge', '--semi-space-growth-factor=1'])
  setFlagsFromString(flag)

process.exitCode = await specDiff(process.argv.slice(2), { ...world, cwd: process.cwd() })
