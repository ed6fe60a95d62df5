import { exitCodes, UsageError, type Arguments, type Environment } from '@farebox/command-line'
import { print } from './print.js'
import { program, type FlagName } from './settings/program.js'
import { describeError, StorageError } from '../platform/database/storage-error.js'
import { ListenError } from '../platform/server/listen.js'
import type { Settings } from './settings/settings.js'

/**
 * Runs a command and resolves to its exit code. Each command loads only its own modules: loading
 * all of them would make the report of a wrong option four times slower.
 */
export async function runCommand(
  args: Arguments<FlagName>,
  environment: Environment,
): Promise<number> {
  if (args.operands[0] === 'doctor')
    return (await import('./doctor/doctor.js')).doctor(args, environment, print)
  const { readSettings } = await import('./settings/settings.js')
  const settings = readSettings(args, environment)
  try {
    if (settings.command === 'catalogue')
      return (await import('./manage.js')).printCatalogue(settings)
    if (settings.money?.operatorUrl !== undefined)
      return await (await import('./manage.js')).manageRemotely(settings, settings.money)
    if (settings.databaseUrl === undefined)
      await (await import('../platform/database/folder-socket.js')).waitForFolder(settings.data)
    if (settings.command === 'backup') return await (await import('./back-up.js')).backUp(settings)
    if (settings.command === 'restore')
      return await (await import('./back-up.js')).restore(settings)
    if (settings.usage)
      return await (await import('./report-usage.js')).reportUsage(settings, settings.usage)
    if (settings.command !== 'serve') return await (await import('./manage.js')).manage(settings)
    await (await import('./serve.js')).serve(settings)
    return exitCodes.ok
  } catch (error) {
    if (error instanceof UsageError) throw error
    process.stderr.write(`${program.name}: ${describeFailure(error, settings.logLevel)}\n`)
    return exitCodes.failed
  }
}

/**
 * The last message of the command. An error that an operator can act on has its own message. For
 * any other error, the stack is shown only at the log level `debug`.
 */
export function describeFailure(error: unknown, logLevel: Settings['logLevel']): string {
  if (error instanceof StorageError || error instanceof ListenError) return error.message
  const sentence = `The service cannot go on (${describeError(error)}).`
  if (logLevel !== 'debug')
    return `${sentence} Run it with --log-level debug to see where that happened.`
  return error instanceof Error ? `${sentence}\n${error.stack}` : sentence
}
