import { pathToFileURL } from 'node:url'
import type { CommandHandler } from '../command.js'
import { findService } from '../demo/local-service.js'

/**
 * Runs the command of `@farebox/service` in this process with the same arguments: one process to
 * signal, and one exit code.
 */
export const serve: CommandHandler = async ({ arguments: args }) => {
  const { command } = await findService()
  process.argv = [process.execPath, command, ...args.operands]
  // a person with a browser wallet would be asked for each request
  if (isOnLoopback(args.operands, process.env)) process.env['FAREBOX_ALLOW_NONCE_REUSE'] ??= '1'
  // the service handles signals itself
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  if (args.operands.some((one) => one === '--help' || one === '-h')) nameServe(process.stdout)
  await import(pathToFileURL(command).href)
  return Number(process.exitCode ?? 0)
}

/** The help of the service names its own command, which a user of `farebox` may not have. */
function nameServe(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream)
  stream.write = (text: string | Uint8Array) =>
    write(String(text).replaceAll('farebox-service', 'farebox serve'))
}

/** Whether only this machine can reach the service, by its options and variables. */
export function isOnLoopback(
  operands: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const readValue = (name: string, variable: string): string | undefined => {
    const at = operands.findLastIndex((one) => one === `--${name}` || one.startsWith(`--${name}=`))
    if (at < 0) return environment[variable]
    return operands[at]?.includes('=') ? operands[at].slice(name.length + 3) : operands[at + 1]
  }
  const host = readValue('host', 'FAREBOX_HOST') || '127.0.0.1'
  const origin = readValue('origin', 'FAREBOX_ORIGIN') || 'http://127.0.0.1'
  return loopback.test(host) && URL.canParse(origin) && loopback.test(new URL(origin).hostname)
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/
