// Loaded before a command by `measured`: notes what the process has used when it ends.
import { appendFileSync } from 'node:fs'

process.on('exit', () => appendFileSync(String(process.env['FAREBOX_BENCH_USAGE']), `${JSON.stringify(process.resourceUsage())}\n`))
