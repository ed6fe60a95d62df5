#!/usr/bin/env node
import { optimizeLate, world } from '@farebox/command-line'
import { specDiff } from './command/spec-diff.js'

// both documents stay until the end
optimizeLate(16)

process.exitCode = await specDiff(process.argv.slice(2), { ...world, cwd: process.cwd() })
