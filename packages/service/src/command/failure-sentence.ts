import { reasonOf, StorageError } from '../platform/database/storage-error.js'
import { ListenError } from '../platform/server/listen.js'
import type { Settings } from './settings/settings.js'

/**
 * The last message of the command. An error that an operator can act on has its own message. For
 * any other error the stack is shown at the log level `debug` alone.
 */
export function failureSentence(error: unknown, logLevel: Settings['logLevel']): string {
  if (error instanceof StorageError || error instanceof ListenError) return error.message
  const sentence = `The service cannot go on (${reasonOf(error)}).`
  if (logLevel !== 'debug') return `${sentence} Run it with --log-level debug to see where that happened.`
  return error instanceof Error ? `${sentence}\n${error.stack}` : sentence
}
