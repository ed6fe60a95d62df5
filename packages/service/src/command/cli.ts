import { runProgram, world } from '@farebox/command-line'
import { runCommand } from './run-command.js'
import { program } from './settings/program.js'

// whoever reads the output may close it before the service ends
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
process.exitCode = await runProgram(program, process.argv.slice(2), world, (given) =>
  runCommand(given, process.env),
)
