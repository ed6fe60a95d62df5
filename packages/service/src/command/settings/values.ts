import { expected, UsageError, type Environment } from '@farebox/command-line'
import { commands, toVariableName, type FlagName, type SecretName } from './program.js'
import {
  accountNameForm,
  isAccountName,
  longestAccountName,
} from '../../domain/accounts/accounts.js'
import { readDatabaseUrl, urlForm } from '../../platform/database/database-url.js'
import { createClientAddress } from '../../platform/server/client-address.js'
import { readFileSync, statSync } from 'node:fs'

type Command = (typeof commands)[number]

const withFile: readonly Command[] = ['backup', 'restore']
const withOperands: readonly Command[] = ['keys', 'refund', 'find', 'write-off', ...withFile]

export function parseCommand([first = 'serve', second]: readonly string[]): Command {
  const found = commands.find((command) => command === first)
  if (found === undefined) throw expected('COMMAND', first, `one of ${commands.join(', ')}`)
  if (second !== undefined && !withOperands.includes(found))
    throw new UsageError(`${found}: found "${second}", expected nothing more.`)
  return found
}

/** The file of a command that has one. Empty for the other commands. */
export function parseFile([command, file = '', more]: readonly string[]): string {
  if (!withFile.some((one) => one === command)) return ''
  if (file === '') throw new UsageError(`${command}: found no FILE.`)
  if (more !== undefined)
    throw new UsageError(`${command}: found "${more}", expected nothing after its FILE.`)
  return file
}

export function parseAmount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  throw expected(`--${flag}`, text, 'an amount such as 10 or 0.25, below 1,000,000,000')
}

/** Whether it is a day of the calendar: Date.parse takes February 31 for March 3. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** A day in UTC, or a time with its offset, in milliseconds since 1970. NaN for any other text. */
export function parseTime(text: string): number {
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  return isDay(day) ? Date.parse(text) : NaN
}

/** Of a key, by the contract. */
export const longestDescription = 64

export function limitLength(flag: string, text: string, longest: number): string {
  const { length } = Array.from(text)
  if (length <= longest) return text
  throw new UsageError(`--${flag}: found ${length} characters, expected at most ${longest}.`)
}

/** The name of an account, which stands in a line of every list. */
export function parseAccount(text: string): string {
  const name = limitLength('account', text, longestAccountName)
  if (isAccountName(name)) return name
  throw expected('--account', name, accountNameForm)
}

export function parseOrigin(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search !== ''
  ) {
    throw expected('--origin', text, 'one like https://api.example.com, without a path')
  }
  return url.origin
}

export function parseProxies(list = ''): readonly string[] {
  const trustedProxies = list.split(',').flatMap((one) => one.trim() || [])
  try {
    createClientAddress(trustedProxies)
  } catch (error) {
    throw new UsageError(
      `--trusted-proxies: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
  return trustedProxies
}

/** The message does not repeat the value, which contains a password. */
export function parseDatabaseUrl(text: string | undefined): string | undefined {
  if (text === undefined || readDatabaseUrl(text)) return text
  throw new UsageError(`--database-url: ${urlForm}.`)
}

/** The value of a flag or of its variable; undefined for an empty one. */
export type Value = (flag: FlagName) => string | undefined

/** Reads each secret from its variable or from a file. A flag that names the file goes first. */
export function createSecretReader(
  value: Value,
  environment: Environment,
  readFile: (path: string) => string,
) {
  return (name: SecretName): string | undefined => {
    const [ofSecret, ofFile] = [toVariableName(name), toVariableName(`${name}-file`)]
    const set = environment[ofSecret] || undefined
    const file = value(`${name}-file`)
    if (file === undefined) return requirePrintable(ofSecret, set)
    if (set !== undefined && file === environment[ofFile])
      throw new UsageError(`${ofSecret}: found ${ofFile} as well, expected one of them. Unset one.`)
    return requirePrintable(ofFile, readFile(file))
  }
}

const shortestKey = 16

/** Requires a secret that callers could guess to be long. `undefined` is one that is not set. */
export function requireLong(name: SecretName, key: string | undefined): string | undefined {
  if (key === undefined || key.length >= shortestKey) return key
  throw new UsageError(
    `${toVariableName(name)}: found ${key.length} characters, expected at least ${shortestKey} random ones; openssl rand -hex 24 prints some.`,
  )
}

/** Reads URLs, which may contain a password or a key in a variable, but not in a flag. */
export function createUrlReader(value: Value, environment: Environment) {
  /** The message does not repeat the value. */
  return (flag: FlagName): string | undefined => {
    const text = value(flag)
    if (text === undefined || text === environment[toVariableName(flag)]) return text
    // of several hosts, each has the user and the query
    const [url = text] = readDatabaseUrl(text)?.hosts ?? []
    if (!URL.canParse(url)) return text
    const { password, search } = new URL(url)
    if (password === '' && !/[?&][\w-]*(?:key|password|secret|token)=/i.test(search)) return text
    throw new UsageError(
      `--${flag}: found a password or a key in it, which ps would show to every user. Set ${toVariableName(flag)} to the URL instead.`,
    )
  }
}

/** Whether it is an http or https URL without a user, a query or a fragment. */
export function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
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
 * Whether the mode keeps other users out. systemd credentials and Kubernetes secrets are files of
 * root that a group can read.
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
