// `measured` loads this before a command. It writes what the process has used when it ends.
import { appendFileSync } from 'node:fs'

process.on('exit', () =>
  appendFileSync(
    String(process.env['FAREBOX_BENCH_USAGE']),
    `${JSON.stringify(process.resourceUsage())}\n`,
  ),
)
