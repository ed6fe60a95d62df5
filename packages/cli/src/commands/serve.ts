import { pathToFileURL } from 'node:url'
import type { Run } from '../command.js'
import { findService } from '../find-service.js'

/**
 * Runs the command of `@farebox/service` in this process with the same arguments: one process to
 * signal, and one exit code.
 */
export const serve: Run = async ({ arguments: given }) => {
  const { command } = await findService()
  process.argv = [process.execPath, command, ...given.operands]
  // the service handles signals itself
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  if (given.operands.some((one) => one === '--help' || one === '-h')) nameServe(process.stdout)
  await import(pathToFileURL(command).href)
  return Number(process.exitCode ?? 0)
}

/** The help of the service names its own command, which a user of `farebox` may not have. */
function nameServe(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream)
  stream.write = (text: string | Uint8Array) => write(String(text).replaceAll('farebox-service', 'farebox serve'))
}
