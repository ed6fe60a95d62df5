// `pnpm bench NAME [options]`. Benchmarks print ratios within one run. None of them is a test of
// time.
import { exitCodes, runProgram, world, type Program } from '@farebox/command-line'
import { benchmarks, type Benchmark } from './benchmarks.js'

const program: Program<string, Benchmark> = {
  name: 'pnpm bench',
  summary: 'prints ratios of ours to others, measured within one run',
  operands: [],
  flags: [],
  commands: benchmarks,
  examples: ['pnpm bench client 20'],
}

process.exitCode = await runProgram(
  program,
  process.argv.slice(2),
  world,
  async (given, benchmark) => {
    await benchmark?.run(given)
    return exitCodes.ok
  },
)
