import { UsageError, type Arguments } from '@farebox/command-line'
import type { FlagName } from './program.js'

/** The listener of the operator. */
export type OperatorSettings = { readonly host: string; readonly port: number; readonly key: string; readonly changes: boolean }

const shortestKey = 16

/** Undefined without a port: the key is also a setting of the client. */
export function operatorOf(given: Arguments<FlagName>, key: string | undefined): OperatorSettings | undefined {
  const port = given.integer('operator-port', 0, 65_535)
  if (port === undefined) return undefined
  if (key === undefined)
    throw new UsageError('--operator-port: found no key of the operator. Set FAREBOX_OPERATOR_KEY, or give --operator-key-file FILE.')
  if (key.length < shortestKey) {
    throw new UsageError(`FAREBOX_OPERATOR_KEY: found ${key.length} characters, expected at least ${shortestKey} random ones.`)
  }
  return { host: given.text('operator-host') || '127.0.0.1', port, key, changes: given.has('operator-changes') }
}
