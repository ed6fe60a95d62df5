#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { world } from '@farebox/command-line'
import { specDiff } from './command/spec-diff.js'

// Most runs end before V8's optimizing compilers pay off, and so does a collector of several threads: a
// third of the CPU time. A function that stays hot is still optimized. V8 prints a line for a flag
// that it does not know; Node 20 to 24 know each of these.
setFlagsFromString('--interrupt-budget=5000000')
setFlagsFromString('--no-parallel-scavenge')
setFlagsFromString('--semi-space-growth-factor=4')

process.exitCode = await specDiff(process.argv.slice(2), { ...world, cwd: process.cwd() })
