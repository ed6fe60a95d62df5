#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { optimizeLate, world } from '@farebox/command-line'
import { specDiff } from './command/spec-diff.js'

optimizeLate()
// both documents stay until the end: a space that grows at once copies them less often
setFlagsFromString('--semi-space-growth-factor=16')

process.exitCode = await specDiff(process.argv.slice(2), { ...world, cwd: process.cwd() })
