import { world } from '@farebox/command-line'
import { scaffold } from './scaffold.js'

process.exitCode = await scaffold(process.argv.slice(2), world)
