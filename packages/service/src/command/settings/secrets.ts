import { UsageError, type Environment } from '@farebox/command-line'
import { variable, type FlagName, type SecretName } from './program.js'
import { readFileSync, statSync } from 'node:fs'

/** The value of a flag or of its variable; undefined for an empty one. */
export type Value = (flag: FlagName) => string | undefined

/** Reads secrets, each from its variable, or else from the file that its flag names. */
export function createSecretReader(
  value: Value,
  environment: Environment,
  readFile: (path: string) => string,
) {
  return (name: SecretName): string | undefined => {
    const file = value(`${name}-file`)
    return requirePrintable(
      variable(name),
      environment[variable(name)] || (file && readFile(file)) || undefined,
    )
  }
}

/** Reads URLs, which may have a password or a key as a variable, and not as a flag. */
export function createUrlReader(value: Value, environment: Environment) {
  /** The message does not repeat the value. */
  return (flag: FlagName): string | undefined => {
    const text = value(flag)
    if (text === undefined || text === environment[variable(flag)] || !URL.canParse(text))
      return text
    const { password, search } = new URL(text)
    if (password === '' && !/[?&][\w-]*(?:key|password|secret|token)=/i.test(search)) return text
    throw new UsageError(
      `--${flag}: found a password or a key in it, which everybody who runs ps would read. Set ${variable(flag)} to the URL instead.`,
    )
  }
}

/** Whether a header can carry it. */
export function isSecret(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

function requirePrintable(name: string, text: string | undefined): string | undefined {
  if (text === undefined || isSecret(text)) return text
  throw new UsageError(
    `${name}: found a space or a character that no header can carry, expected printable ASCII.`,
  )
}

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
  } finally {
    // After the stat of a pipe, as of `--admin-key-file <(...)`, Node's realpathSync stops at the
    // first folder that it knows, and a module that is imported later does not find its own
    // dependencies behind the links of pnpm.
    statSync(process.execPath)
  }
  if (process.platform !== 'win32' && !isPrivate(stat)) {
    throw new UsageError(`The key file ${file} can be read by others. Run chmod 600 on it.`)
  }
  if (isSecret(secret)) return secret
  throw new UsageError(`The key file ${file} holds no key: expected one line without spaces.`)
}
