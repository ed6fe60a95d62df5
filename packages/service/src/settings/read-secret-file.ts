import { readFileSync, statSync } from 'node:fs'
import { UsageError } from '@farebox/command-line'
import { isSecret } from './secret-settings.js'

/** Reads a file of one secret. Throws a UsageError for a file that other users can read. */
export function readSecretFile(file: string): string {
  let mode: number
  let secret: string
  try {
    mode = statSync(file).mode
    secret = readFileSync(file, 'utf8').trim()
  } catch {
    throw new UsageError(`The key file ${file} cannot be read.`)
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new UsageError(`The key file ${file} can be read by others. Run chmod 600 on it.`)
  }
  if (isSecret(secret)) return secret
  throw new UsageError(`The key file ${file} holds no key: expected one line without spaces.`)
}
