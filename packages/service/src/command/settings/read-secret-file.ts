import { readFileSync, statSync } from 'node:fs'
import { UsageError } from '@farebox/command-line'
import { isSecret } from './secret-settings.js'

/**
 * Whether the mode keeps others out. A file of root that its group reads is what systemd
 * credentials and volumes of Kubernetes secrets give a service.
 */
export function isPrivate({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean {
  return (mode & 0o077) === 0 || (uid === 0 && (mode & 0o037) === 0)
}

/** Reads a file of one secret. Throws a UsageError for a file that other users can read. */
export function readSecretFile(file: string): string {
  let stat: ReturnType<typeof statSync>
  let secret: string
  try {
    stat = statSync(file)
    secret = readFileSync(file, 'utf8').trim()
  } catch {
    throw new UsageError(`The key file ${file} cannot be read.`)
  }
  if (process.platform !== 'win32' && !isPrivate(stat)) {
    throw new UsageError(`The key file ${file} can be read by others. Run chmod 600 on it.`)
  }
  if (isSecret(secret)) return secret
  throw new UsageError(`The key file ${file} holds no key: expected one line without spaces.`)
}
