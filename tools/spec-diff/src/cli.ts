#!/usr/bin/env node
import { world } from '@farebox/command-line'
import { specDiff } from './command/spec-diff.js'

process.exitCode = await specDiff(process.argv.slice(2), { ...world, cwd: process.cwd() })
