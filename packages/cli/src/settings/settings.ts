import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Environment, UsageError } from '../command.js'

/**
 * The service and the credentials. Credentials come from the environment or the file, never from
 * the command line.
 */
export type Settings = {
  readonly baseUrl?: string
  readonly apiKey?: string
  /** EVM: 0x and 64 hex digits. Solana: 32 or 64 bytes in base58. */
  readonly privateKey?: string
  readonly serviceName?: string
  /** Where the operator of the service listens. */
  readonly operatorUrl?: string
  readonly operatorKey?: string
  /** `true` allows credentials by plain HTTP to another machine. */
  readonly allowInsecureHttp?: string
  /** USD. A command that costs more asks first. */
  readonly confirmAboveUsd?: string
}

const names = [
  'baseUrl',
  'apiKey',
  'privateKey',
  'serviceName',
  'operatorUrl',
  'operatorKey',
  'allowInsecureHttp',
  'confirmAboveUsd',
] as const

/** The environment variable of each setting. */
export const variables = {
  baseUrl: 'FAREBOX_BASE_URL',
  apiKey: 'FAREBOX_API_KEY',
  privateKey: 'FAREBOX_PRIVATE_KEY',
  serviceName: 'FAREBOX_SERVICE_NAME',
  operatorUrl: 'FAREBOX_OPERATOR_URL',
  operatorKey: 'FAREBOX_OPERATOR_KEY',
  allowInsecureHttp: 'FAREBOX_ALLOW_INSECURE_HTTP',
  confirmAboveUsd: 'FAREBOX_CONFIRM_ABOVE_USD',
} as const

/**
 * `--config`, else FAREBOX_CONFIG, else `farebox/config.json` in the user's configuration folder
 * (XDG Base Directory Specification).
 */
export function findSettingsPath(environment: Environment, path?: string): string {
  const set = path ?? omitEmpty(environment['FAREBOX_CONFIG'])
  return (
    set ??
    join(
      omitEmpty(environment['XDG_CONFIG_HOME']) ?? join(findHomeFolder(environment), '.config'),
      'farebox',
      'config.json',
    )
  )
}

/** Whether the user named a settings file, which then must exist. */
export function hasNamedFile(environment: Environment, path?: string): boolean {
  return path !== undefined || omitEmpty(environment['FAREBOX_CONFIG']) !== undefined
}

/**
 * The settings of the environment, completed by those of the file. Rejects a file that other users
 * may read or write, and a named file that does not exist. Throws `UsageError`. No message repeats
 * a value that may be a credential.
 */
export async function readSettings(environment: Environment, path?: string): Promise<Settings> {
  const storedSettings =
    (await readStoredSettings(
      findSettingsPath(environment, path),
      hasNamedFile(environment, path),
    )) ?? {}
  const set = names.flatMap((name) => {
    const value = omitEmpty(environment[variables[name]])
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...storedSettings, ...Object.fromEntries(set) }
}

/** The settings of the file only. Undefined if the file does not exist and is not required. */
export async function readStoredSettings(
  path: string,
  mustBeThere: boolean,
): Promise<Settings | undefined> {
  // reading a pipe without a writer would not end
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && !mustBeThere) return undefined
      const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`
      throw new UsageError(
        `The configuration ${path} ${why}. Create it with farebox init, or choose another with --config.`,
      )
    },
  )
  if (file === undefined) return undefined
  try {
    const { mode, uid, size } = await file.stat()
    if (process.platform !== 'win32') checkPrivate(path, mode, uid)
    if (size > 65_536)
      throw new UsageError(
        `The configuration ${path} has ${size} bytes; expected a small JSON file.`,
      )
    return parse(path, await file.readFile('utf8'))
  } finally {
    await file.close()
  }
}

function checkPrivate(path: string, mode: number, uid: number): void {
  if ((mode & 0o077) !== 0) {
    throw new UsageError(
      `The configuration ${path} has the mode ${(mode & 0o777).toString(8).padStart(4, '0')}, so other users can access its credentials; expected 0600. ` +
        `Run: chmod 600 ${path}`,
    )
  }
  const own = process.getuid?.()
  if (own !== undefined && uid !== own && uid !== 0) {
    throw new UsageError(
      `The configuration ${path} belongs to user ${uid}, and you are ${own}. Create your own.`,
    )
  }
}

/** The message of JSON.parse quotes the text around a mistake, which may be a key. */
function parse(path: string, text: string): Settings {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError(
      `The configuration ${path} is not JSON. Expected an object such as {"baseUrl": "...", "apiKey": "..."}.`,
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(
      `The configuration ${path} is not a JSON object. Expected one such as {"baseUrl": "...", "apiKey": "..."}.`,
    )
  }
  for (const [name, member] of Object.entries(value)) {
    if (!names.some((settingName) => settingName === name)) {
      throw new UsageError(
        `The configuration ${path} has the member ${JSON.stringify(name)}; expected ${names.join(', ')}.`,
      )
    }
    // an amount may be written as a number
    if (name === 'confirmAboveUsd' && typeof member === 'number') continue
    if (typeof member !== 'string' || member === '') {
      throw new UsageError(
        `The configuration ${path}: ${name} is not valid; expected a string that is not empty.`,
      )
    }
  }
  const { confirmAboveUsd, ...others } = value as Omit<Settings, 'confirmAboveUsd'> & {
    readonly confirmAboveUsd?: string | number
  }
  return {
    ...others,
    ...(confirmAboveUsd !== undefined && { confirmAboveUsd: String(confirmAboveUsd) }),
  }
}

function omitEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value
}

export function findHomeFolder(environment: Environment): string {
  return omitEmpty(environment['HOME']) ?? homedir()
}
