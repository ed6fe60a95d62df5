import { rails, findUsdcMint, findUsdcToken } from '@farebox/auth/verify'
import { expected, UsageError } from '@farebox/command-line'
import { paymentRails, readPayees } from '../../domain/payments/payment-rails.js'
import { isLoopback } from '../../platform/is-loopback.js'
import type { PayeeOptions } from '../../domain/payments/service-rail.js'
import type { FlagName } from './program.js'

/** Who settles payments. */
export type FacilitatorSettings = {
  readonly url: string
  readonly key?: string
  /** CAIP-2. */
  readonly networks?: readonly string[]
  readonly solanaRpc?: { readonly url: string }
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
  if (text === undefined) {
    if (value('facilitator-key-file') === undefined && names === undefined && rpc === undefined)
      return undefined
    throw new UsageError(
      '--facilitator: found nothing, expected a URL for the given key, networks or Solana node.',
    )
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new UsageError(
      '--facilitator: found no URL that can be called, expected one like https://facilitator.example/x402, without a user or a query.',
    )
  }
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
  }
}

/** The message does not repeat the value, which may hold a key. */
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
  const found = findUsdcToken(name.trim())
  if (found) return found.network
  const names = Object.values(rails).flatMap(({ tokens }) =>
    tokens.map(({ networkV1 }) => networkV1),
  )
  throw expected('--facilitator-networks', name, names.join(' or '))
}
