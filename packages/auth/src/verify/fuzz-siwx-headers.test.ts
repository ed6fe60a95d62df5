import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import { countRounds } from '@farebox/testing/rounds'
import { expect, test } from 'vitest'
import { createSiwxHeader, siweMessage, solanaMessage } from '../sign-in/create-siwx-header.js'
import { encodeJsonHeader } from '../encoding.js'
import { privateKeySigner } from '../keys.js'
import { SiwxError } from './errors.js'
import { verifySiwxHeader, type VerifySiwxOptions } from './verify-siwx-header.js'

// 20,000 headers here; `pnpm --filter @farebox/auth fuzz` runs 1,000,000. The seed determines all
// of them.
const runs = countRounds(20_000)
const header = process.env['SEED'] ?? '4361'
const seed = header === 'random' ? Math.floor(Math.random() * 2 ** 32) : Number(header)

const now = Date.UTC(2026, 5, 30, 12)
const service: VerifySiwxOptions = {
  domain: 'api.example:4020',
  uri: 'http://api.example:4020',
  now: () => now,
}
const solanaMainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

type Random = ReturnType<typeof createRandom>

/** xorshift32: fast and deterministic. */
function createRandom(start: number) {
  let state = start >>> 0 || 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>>= 0)
  }
  const below = (limit: number) => next() % limit
  return {
    below,
    pick: <Item>(items: readonly Item[]): Item => items.at(below(items.length)) as Item,
    bytes: (length: number) => Array.from({ length }, () => below(256)),
  }
}

type Fields = Record<string, unknown>

/** Valid headers, in both forms and on both chains. */
async function createSamples(): Promise<Fields[]> {
  const evm = privateKeySigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
  const key = new Uint8Array(32).fill(7)
  const solana = {
    kind: 'solana',
    address: base58.encode(ed25519.getPublicKey(key)),
    sign: async (message: string) =>
      base58.encode(ed25519.sign(new TextEncoder().encode(message), key)),
  } as const
  const client = {
    ...service,
    statement: 'Sign in to Farebox API',
    nonce: () => '0123456789abcdef',
  }
  const messages = await Promise.all([
    createSiwxHeader(evm, client),
    createSiwxHeader(solana, client),
  ])
  const terms = {
    domain: service.domain,
    uri: service.uri,
    nonce: '0123456789abcdef',
    issuedAt: new Date(now).toISOString(),
  }
  const rest = { version: '1', resources: ['https://api.example/a'] }
  const all = {
    ...terms,
    statement: 'Hello',
    expirationTime: new Date(now + 60_000).toISOString(),
    resources: rest.resources,
  }
  const evmText = siweMessage({ ...all, address: evm.address, chainId: 8453 })
  const solanaText = solanaMessage({ ...all, address: solana.address, chainId: solanaMainnet })
  return [
    ...messages.map((header) => JSON.parse(atob(header)) as Fields),
    {
      ...all,
      ...rest,
      address: evm.address,
      chainId: 'eip155:8453',
      type: 'eip191',
      signature: await evm.sign(evmText),
    },
    {
      ...all,
      ...rest,
      address: solana.address,
      chainId: `solana:${solanaMainnet}`,
      type: 'ed25519',
      signature: await solana.sign(solanaText),
    },
  ]
}

const oddities: readonly unknown[] = [
  undefined, null, true, 0, -1, Number.MAX_VALUE, 2 ** 53, '', ' ', '\n', '\0', '0x', 'é', '\ud800', [], {}, [[]], '__proto__', 'constructor',
  8453, '8453', 'eip155:8453', 'eip155:1', `solana:${solanaMainnet}`, solanaMainnet, 'eip191', 'ed25519', '11111111111111111111111111111111',
  '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM', `0x${'0'.repeat(130)}`, `0x${'f'.repeat(130)}`, '1'.repeat(88), '6492'.repeat(16), now, now / 1000,
] // prettier-ignore

const tokens = [
  '\n',
  '\n\n',
  'URI: ',
  'Nonce: ',
  'Chain ID: ',
  ' wants you to sign in with your ',
  'Resources:',
  '- ',
  '://',
  '@',
  '[::1]',
  '%',
  '\r',
  '\t',
  '\u2028',
]

/** A valid header, altered in one of eight ways. By chance it may stay the same. */
function spoil(good: readonly Fields[], random: Random): string {
  const sample = { ...random.pick(good) }
  const names = Object.keys(sample)
  const name = random.pick(names)
  const header = encodeJsonHeader(sample)
  const json = JSON.stringify(sample)
  const value = sample[name]
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const at = random.below(text.length + 1)
  switch (random.below(8)) {
    case 0:
      return spliceText(header, random, () => String.fromCharCode(random.below(128)))
    case 1:
      return btoa(spliceText(json, random, () => String.fromCharCode(random.below(256))))
    case 2:
      return encodeJsonHeader({ ...sample, [name]: random.pick(oddities) })
    case 3:
      return encodeJsonHeader({
        ...sample,
        [name]: text.slice(0, at) + random.pick(tokens) + text.slice(at + random.below(3)),
      })
    case 4:
      return encodeJsonHeader({ ...sample, [name]: random.pick(good)[random.pick(names)] })
    case 5:
      return encodeJsonHeader({
        ...sample,
        [`${name}${random.pick(['', ' ', 's', '_'])}`]: random.pick(oddities),
        [random.pick(names)]: undefined,
      })
    case 6:
      return btoa(String.fromCharCode(...random.bytes(random.below(200))))
    default:
      return encodeJsonHeader({ ...sample, signature: forgeSignature(random) })
  }
}

function spliceText(text: string, random: Random, letter: () => string): string {
  const at = random.below(text.length)
  return (
    text.slice(0, at) +
    Array.from({ length: random.below(4) }, letter).join('') +
    text.slice(at + random.below(4))
  )
}

function forgeSignature(random: Random): string {
  const hex = random
    .bytes(random.pick([0, 1, 64, 65, 65, 65, 66, 96]))
    .map((byte) => byte.toString(16).padStart(2, '0'))
  return random.below(2) === 0
    ? `0x${hex.join('')}`
    : base58.encode(Uint8Array.from(random.bytes(random.pick([32, 63, 64, 64, 65]))))
}

/**
 * The identity of a sign-in: two headers with the same key are the same sign-in. `timestamp` and
 * `type` are not signed, and the latter is optional on EVM chains.
 */
function toIdentity(header: string): unknown {
  try {
    const { timestamp: _, type: _type, ...rest } = JSON.parse(atob(header)) as Fields
    // equivalent forms of a chain, of a signature (v of 0 or 27), and of a list
    return JSON.stringify(
      { ...rest, chainId: String(rest['chainId']).replace('eip155:', '') },
      Object.keys(rest).sort(),
    )
  } catch {
    return undefined
  }
}

test(
  `${runs} altered headers: none crashes the verifier, none is accepted`,
  { timeout: 0 },
  async () => {
    const good = await createSamples()
    for (const sample of good) await verifySiwxHeader(encodeJsonHeader(sample), service)
    const known = new Set(good.map((sample) => toIdentity(encodeJsonHeader(sample))))
    const random = createRandom(seed)
    const counts: Record<string, number> = {}
    let slowest = 0
    for (let run = 1; run <= runs; run++) {
      const header = spoil(good, random)
      const start = performance.now()
      const outcome: unknown = await verifySiwxHeader(header, service).then(
        () => 'accepted',
        (error: unknown) => error,
      )
      slowest = Math.max(slowest, performance.now() - start)
      const code =
        outcome instanceof SiwxError
          ? outcome.code
          : known.has(toIdentity(header))
            ? 'unchanged'
            : undefined
      if (code === undefined)
        expect.unreachable(`seed ${seed}, header ${run}: ${String(outcome)}: ${header}`)
      counts[code] = (counts[code] ?? 0) + 1
      if (runs > 100_000 && run % (runs / 20) === 0) {
        process.stdout.write(
          `seed ${seed}: ${run} of ${runs} headers, slowest ${slowest.toFixed(0)} ms, ${JSON.stringify(counts)}\n`,
        )
      }
    }
    // every stage of the verifier was reached
    expect(Object.keys(counts)).toEqual(
      expect.arrayContaining([
        'invalid_payload',
        'invalid_message',
        'address_mismatch',
        'chain_mismatch',
        'unsupported_chain',
        'domain_mismatch',
        'uri_mismatch',
        'invalid_signature',
      ]),
    )
  },
)
