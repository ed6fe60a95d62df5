import { run } from './run.js'

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
    process.stderr.write(
      `farebox: the output cannot be written (${error.code ?? error.message}).\n`,
    )
    process.exit(1)
  })
}
process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  streams: { in: process.stdin, out: process.stdout, err: process.stderr },
  signal: giveUp.signal,
})
