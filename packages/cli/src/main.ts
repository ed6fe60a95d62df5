import { version } from './version.js'

const giveUp = new AbortController()
let strikes = 0
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // a second signal ends the process at once
    if (++strikes > 1) process.exit(130)
    giveUp.abort(new Error(signal))
  })
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // the reader of a pipe may close it early, which is not an error
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    process.stderr.write(`farebox: the output cannot be written (${error.code ?? error.message}).\n`)
    process.exit(1)
  })
}
const args = process.argv.slice(2)
// the version needs no parser, which takes as long to load as Node takes to start
if (args.length === 1 && args[0] === '--version') process.stdout.write(`${version()}\n`)
else {
  const { run } = await import('./run.js')
  process.exitCode = await run(args, {
    environment: process.env,
    streams: { in: process.stdin, out: process.stdout, err: process.stderr },
    signal: giveUp.signal,
  })
}
