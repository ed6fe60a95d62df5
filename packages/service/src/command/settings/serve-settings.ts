import { rails, findUsdcMint, findUsdcToken } from '@farebox/auth/verify'
import { UsageError, type Arguments, expected } from '@farebox/command-line'
import { paymentRails, readPayees, type PayeeOptions } from '../../domain/payments/payment-rails.js'
import { readRetention, type Retention } from '../../domain/retention.js'
import { isLoopback } from '../../platform/server/client-address.js'
import type { GivenUpstream } from '../../platform/upstream/upstream-settings.js'
import type { SecretName, FlagName } from './program.js'
import { isBaseUrl, requireLong, type Value } from './values.js'

/** A file of upstreams, which is watched, or the upstreams of the flags. */
export type UpstreamSource =
  | { readonly file: string }
  | { readonly upstreams: readonly GivenUpstream[] }

/** The flags are shorthand for a file with one upstream of each capability that they name. */
export function readUpstreamFlags(
  value: Value,
  secret: (name: SecretName) => string | undefined,
): UpstreamSource {
  const upstreams = (['speech', 'video'] as const).flatMap((capability): GivenUpstream[] => {
    const flag = `${capability}-upstream` as const
    const url = value(flag)
    const apiKey = secret(`${flag}-key`)
    if (url === undefined && apiKey === undefined) return []
    if (url !== undefined && isBaseUrl(url))
      return [{ name: capability, capability, url, ...(apiKey !== undefined && { apiKey }) }]
    throw new UsageError(
      `--${flag}: found ${url === undefined ? 'only its key' : 'no URL that can be called'}, expected one like https://${capability}.example/v1, without a user, a query or a fragment.`,
    )
  })
  const file = value('upstreams')
  if (file === undefined) return { upstreams }
  const [other] = upstreams
  if (other === undefined) return { file }
  throw new UsageError(
    `--upstreams: found --${other.capability}-upstream as well, expected one of them. Move that upstream into ${file}, and remove the flag and its variable.`,
  )
}

/** The listener of the operator. */
export type OperatorSettings = {
  readonly host: string
  readonly port: number
  readonly key: string
  readonly changes: boolean
}

/** Undefined without a port: the key is also a setting of the client. */
export function readOperator(
  args: Arguments<FlagName>,
  key: string | undefined,
): OperatorSettings | undefined {
  const port = args.integer('operator-port', 0, 65_535)
  if (port === undefined) return undefined
  if (key === undefined)
    throw new UsageError(
      '--operator-port: found no key of the operator. Set FAREBOX_OPERATOR_KEY, or give --operator-key-file FILE.',
    )
  requireLong('operator-key', key)
  return {
    host: args.text('operator-host') || '127.0.0.1',
    port,
    key,
    changes: args.has('operator-changes'),
  }
}

const flags = {
  responses: 'keep-responses',
  videos: 'keep-videos',
  keys: 'keep-keys',
  limitLogs: 'keep-limit-logs',
} as const
const units = { h: 3_600_000, d: 86_400_000 } as const

/** How long upkeep keeps data. */
export function readKeep(args: Arguments<FlagName>): Retention {
  const entries = Object.entries(flags).flatMap(([name, flag]) => {
    const text = args.text(flag)
    return text === undefined || text === '' ? [] : [[name, parseDuration(flag, text)] as const]
  })
  try {
    return readRetention(Object.fromEntries(entries))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(
      `${error.message.replace(/^keep\.(\w+)/, (_all, name: keyof typeof flags) => `--${flags[name]}`)}.`,
    )
  }
}

function parseDuration(flag: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([hd])$/.exec(text) ?? []
  if (count === undefined) throw expected(`--${flag}`, text, 'hours or days such as 36h or 30d')
  return Number(count) * (unit === 'h' ? units.h : units.d)
}

/** Who settles payments. */
export type FacilitatorSettings = {
  readonly url: string
  readonly key?: string
  /** CAIP-2. */
  readonly networks?: readonly string[]
  readonly solanaRpc?: { readonly url: string }
  readonly uptoUsd?: number
}

export function readPayeeFlags(value: (flag: FlagName) => string | undefined): PayeeOptions {
  return readPayees(
    ({ flag }) => value(flag),
    ({ flag, form }, found) => expected(`--${flag}`, found, form),
  )
}

export function readFacilitator(
  value: (flag: FlagName) => string | undefined,
  key: string | undefined,
  rpc: string | undefined,
): FacilitatorSettings | undefined {
  const text = value('facilitator')
  const names = value('facilitator-networks')
  const upto = value('upto-usd')
  if (text === undefined) {
    const others = [value('facilitator-key-file'), names, upto, rpc]
    if (others.every((other) => other === undefined)) return undefined
    throw new UsageError(
      '--facilitator: found nothing, expected a URL for the given key, networks, --upto-usd or Solana node.',
    )
  }
  if (!isBaseUrl(text)) {
    throw new UsageError(
      '--facilitator: found no URL that can be called, expected one like https://facilitator.example/x402, without a user or a query.',
    )
  }
  const url = new URL(text)
  if (key !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new UsageError(
      `--facilitator: found http, which would show the key on its way to ${url.hostname}; expected https.`,
    )
  }
  const payeeFlags = Object.values(paymentRails).map(({ flag }) => flag)
  if (payeeFlags.every((flag) => value(flag) === undefined)) {
    throw new UsageError(
      `--facilitator: found no recipient of the payments, expected --${payeeFlags.join(' or --')}.`,
    )
  }
  const networks = names?.split(',').map(parseNetwork)
  return {
    url: url.href,
    ...(rpc !== undefined && { solanaRpc: { url: parseNode(rpc, networks) } }),
    ...(key !== undefined && { key }),
    ...(networks && { networks }),
    ...(upto !== undefined && { uptoUsd: parseUpto(upto) }),
  }
}

function parseUpto(text: string): number {
  const usd = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && usd >= 0.01 && usd <= 10_000) return usd
  throw expected('--upto-usd', text, 'USD from 0.01 to 10000')
}

/** The message does not repeat the value, which may contain a key. */
function parseNode(text: string, networks: readonly string[] = []): string {
  if (networks.filter((network) => findUsdcMint(network)).length > 1) {
    throw new UsageError(
      '--solana-rpc: found two Solana networks in --facilitator-networks, expected one.',
    )
  }
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new UsageError(
    '--solana-rpc: found no URL that can be called, expected one like https://solana.example/rpc.',
  )
}

function parseNetwork(name: string): string {
  const token = findUsdcToken(name.trim())
  if (token) return token.network
  const names = Object.values(rails).flatMap(({ tokens }) =>
    tokens.map(({ networkV1 }) => networkV1),
  )
  throw expected('--facilitator-networks', name, names.join(' or '))
}
