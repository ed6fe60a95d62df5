import { parseArgs } from 'node:util'

/** What the command was asked for; flags win over the environment. */
export type Settings = {
  readonly show?: 'help' | 'version'
  readonly host: string
  readonly port: number
  readonly data: string
  readonly origin: string | undefined
  readonly serviceName: string
  readonly adminKey: string | undefined
  readonly payTo: string | undefined
}

/** A command line that cannot be followed. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const usage = `Usage: farebox-service [options]

Serves the Farebox inference API from an embedded database.

  --port 4020                 0 picks a free one                             FAREBOX_PORT
  --host 127.0.0.1            the address to listen at                       FAREBOX_HOST
  --data ./farebox-data       the folder of the database, held alone         FAREBOX_DATA
  --origin URL                the public origin, which sign-in messages
                              must name (default: http://HOST:PORT)          FAREBOX_ORIGIN
  --service-name Farebox      stands in the sign-in statement                FAREBOX_SERVICE_NAME
  --admin-key KEY             a bearer key with full access; better in the
                              environment, where ps does not show it         FAREBOX_ADMIN_KEY
  --pay-to ADDRESS            the EVM address that top-ups pay to            FAREBOX_PAY_TO
  --help, --version

SIGTERM and SIGINT finish what is under way. Exit codes: 0 stopped, 1 the folder or the port is in use, 2 wrong usage.`

const flags = ['port', 'host', 'data', 'origin', 'service-name', 'admin-key', 'pay-to'] as const
const toCome = ['database-url', 'facilitator', 'speech-upstream', 'video-upstream'] as const

export function readSettings(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = parse(args)
  for (const flag of toCome) {
    if ((given[flag] ?? environment[variable(flag)]) !== undefined) throw new UsageError(`--${flag} is not available yet. Leave it out.`)
  }
  const value = (flag: (typeof flags)[number]): string | undefined => {
    const text = given[flag] ?? environment[variable(flag)]
    return typeof text === 'string' && text !== '' ? text : undefined
  }
  return {
    ...(given['help'] === true ? { show: 'help' as const } : given['version'] === true ? { show: 'version' as const } : {}),
    host: value('host') ?? '127.0.0.1',
    port: portOf(value('port') ?? '4020'),
    data: value('data') ?? './farebox-data',
    origin: originOf(value('origin')),
    serviceName: value('service-name') ?? 'Farebox',
    adminKey: keyOf(value('admin-key')),
    payTo: addressOf(value('pay-to')),
  }
}

function parse(args: readonly string[]): Readonly<Record<string, string | boolean | undefined>> {
  const options = Object.fromEntries([...flags, ...toCome].map((flag) => [flag, { type: 'string' as const }]))
  try {
    return parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } })
      .values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function variable(flag: string): string {
  return `FAREBOX_${flag.replaceAll('-', '_').toUpperCase()}`
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new UsageError(`The port is ${JSON.stringify(text)}; expected a number from 0 to 65535.`)
  return port
}

function originOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw new UsageError(`The origin is ${JSON.stringify(text)}; expected one like https://api.example.com, without a path.`)
  }
  return url.origin
}

function keyOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[\x21-\x7e]+$/.test(text)) return text
  throw new UsageError('The admin key holds a space or a character that no header can carry.')
}

function addressOf(text: string | undefined): string | undefined {
  if (text === undefined || /^0x[0-9a-fA-F]{40}$/.test(text)) return text
  throw new UsageError(`The address to pay to is ${JSON.stringify(text)}; expected 0x and 40 hex digits.`)
}
