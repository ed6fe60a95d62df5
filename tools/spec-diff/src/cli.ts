#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { optimizeLate, world } from '@farebox/command-line'
import { specDiff } from './command/spec-diff.js'

optimizeLate()
// a collector of one thread takes less processor time
setFlagsFromString('--no-parallel-scavenge')

process.exitCode = await specDiff(process.argv.slice(2), { ...world, cwd: process.cwd() })
