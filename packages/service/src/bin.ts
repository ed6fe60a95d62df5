#!/usr/bin/env node
// Imports come after this check, since an older Node fails on them with an unrelated message.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) {
  // the first process of a container ignores signals that nobody listens for, such as one in its start
  if (process.pid === 1) {
    process.on('SIGTERM', () => process.exit(143))
    process.on('SIGINT', () => process.exit(130))
  }
  const [{ runProgram, world }, { runCommand }, { program }] = await Promise.all([
    import('@farebox/command-line'),
    import('./command/run-command.js'),
    import('./command/settings/program.js'),
  ])
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // whoever reads the output may close it before the service ends
    if (code === 'EPIPE') return
    process.exitCode = 1
    process.stderr.write(`farebox-service: The output cannot be written (${code ?? message}).\n`)
  })
  const code = await runProgram(program, process.argv.slice(2), world, (args) =>
    runCommand(args, process.env),
  )
  if (code !== 0) process.exitCode = code
} else {
  process.stderr.write(
    `farebox-service: this is Node ${process.versions.node}; it needs Node 20.19 or later, which is at https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
