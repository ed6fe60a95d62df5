import { reasonOf, StorageError } from './platform/database/storage-error.js'
import { ListenError } from './platform/server/listen.js'
import type { Settings } from './settings.js'

/**
 * What the command says when it cannot go on. An error that an operator can act on says it in full; of any other its message is shown, and
 * its stack at the log level `debug` alone.
 */
export function failureSentence(error: unknown, logLevel: Settings['logLevel']): string {
  if (error instanceof StorageError || error instanceof ListenError) return error.message
  const sentence = `The service cannot go on (${reasonOf(error)}).`
  if (logLevel !== 'debug') return `${sentence} Run it with --log-level debug to see where that happened.`
  return error instanceof Error ? `${sentence}\n${error.stack}` : sentence
}
