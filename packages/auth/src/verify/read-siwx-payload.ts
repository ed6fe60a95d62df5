import { decodeJsonHeader } from '../encoding.js'
import {
  siweMessage,
  solanaMessage,
  type SiwxMessageFields,
} from '../sign-in/create-siwx-header.js'
import { SiwxError } from './errors.js'

/** A sign-in as the client sent it, in either form. It is not verified yet. */
export type SiwxPayload = {
  /** `message`: the signed text. `fields`: its fields, from which the text was rebuilt. */
  readonly form: 'message' | 'fields'
  readonly address: string
  readonly message: string
  readonly signature: string
  /** The EVM chain id, or the reference of a Solana network. */
  readonly chain: EvmChain | SolanaChain
  /** Milliseconds since 1970. The form of fields has none. */
  readonly timestamp?: number
}

type EvmChain = { readonly kind: 'evm'; readonly id: number }
type SolanaChain = { readonly kind: 'solana'; readonly reference: string }

/** Other fields are rejected: no signature covers them. All are strings except `resources`. */
const ownFields = ['address', 'message', 'signature', 'timestamp', 'chainId', 'type']
const required = ['domain', 'address', 'uri', 'version', 'nonce', 'issuedAt', 'signature'] as const
const optional = ['statement', 'expirationTime', 'notBefore', 'requestId'] as const
/** A hint that does not affect the decision. */
const signatureSchemes = ['eip191', 'eip1271', 'eip6492', 'siws']
const structuredFields = [
  ...required,
  ...optional,
  'chainId',
  'type',
  'resources',
  'signatureScheme',
]

/**
 * Reads the value of SIGN-IN-WITH-X in its two forms: the service's, with the signed text
 * (interface specification, "SIGN-IN-WITH-X header"), and that of the sign-in extension of x402,
 * with the fields of the text. Only the first has `message`. At most 8 kB, in strict base64.
 * Throws a SiwxError for anything else.
 */
export function readSiwxPayload(value: unknown): SiwxPayload {
  const object = decodeJsonHeader(value)
  if (!object) throw createPayloadError('expected base64 of a JSON object, at most 8 kB')
  const fields = createFieldReader(object)
  return fields.own('message') === undefined ? readStructured(fields) : readMessage(fields)
}

type FieldReader = ReturnType<typeof createFieldReader>

function createFieldReader(object: Readonly<Record<string, unknown>>) {
  const fields = {
    own: (name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined),
    text(name: string): string {
      const value = fields.own(name)
      if (typeof value !== 'string')
        throw createPayloadError(`"${name}" is ${describeType(value)}, expected a string`)
      return value
    },
    texts: <const Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> =>
      Object.fromEntries(names.map((name) => [name, fields.text(name)])) as Record<Name, string>,
    only(names: readonly string[]) {
      if (Object.keys(object).some((name) => !names.includes(name)))
        throw createPayloadError(`expected only the fields ${names.join(', ')}`)
    },
  }
  return fields
}

function readMessage(fields: FieldReader): SiwxPayload {
  fields.only(ownFields)
  const timestamp = fields.own('timestamp')
  if (typeof timestamp !== 'number' || !Number.isSafeInteger(timestamp)) {
    throw createPayloadError(
      `"timestamp" is ${describeType(timestamp)}, expected Unix time in milliseconds`,
    )
  }
  return {
    form: 'message',
    ...fields.texts(['address', 'message', 'signature']),
    timestamp,
    chain: readChain(fields),
  }
}

/**
 * Builds the text from its fields, as the client did before it signed. The text is then parsed by
 * the grammar, so that a field cannot contain another one.
 */
function readStructured(fields: FieldReader): SiwxPayload {
  fields.only(structuredFields)
  const { signature, version, ...terms } = fields.texts(required)
  if (version !== '1') throw createPayloadError('"version" is not "1"')
  const scheme = fields.own('signatureScheme')
  if (
    scheme !== undefined &&
    !signatureSchemes.some((signatureScheme) => signatureScheme === scheme)
  ) {
    throw createPayloadError(`"signatureScheme" is not one of ${signatureSchemes.join(', ')}`)
  }
  if (fields.own('type') === undefined)
    throw createPayloadError('"type" is missing, expected "eip191" or "ed25519"')
  const resources = fields.own('resources')
  if (
    resources !== undefined &&
    !(Array.isArray(resources) && resources.every((resource) => typeof resource === 'string'))
  ) {
    throw createPayloadError(
      `"resources" is ${describeType(resources)}, expected an array of strings`,
    )
  }
  const chain = readChain(fields)
  const messageFields = {
    ...terms,
    ...fields.texts(optional.filter((name) => fields.own(name) !== undefined)),
    ...(resources && { resources: resources as readonly string[] }),
  }
  return {
    form: 'fields',
    address: terms.address,
    message: buildMessage(messageFields, chain),
    signature,
    chain,
  }
}

function buildMessage(
  fields: Omit<SiwxMessageFields, 'chainId'>,
  chain: EvmChain | SolanaChain,
): string {
  if (chain.kind === 'evm') return siweMessage({ ...fields, chainId: chain.id })
  // the extension omits empty fields
  const { statement, resources, ...rest } = fields
  return solanaMessage({
    ...rest,
    ...(statement && { statement }),
    ...(resources && resources.length > 0 && { resources }),
    chainId: chain.reference,
  })
}

/**
 * `chainId` decides, and `type` must agree. A missing `type` means EIP-191 (interface
 * specification, "SIGN-IN-WITH-X header").
 */
function readChain(fields: FieldReader): EvmChain | SolanaChain {
  const [chainId, type = 'eip191'] = [fields.own('chainId'), fields.own('type')]
  const text = typeof chainId === 'number' || typeof chainId === 'string' ? String(chainId) : ''
  const reference = /^solana:([1-9A-HJ-NP-Za-km-z]{32})$/.exec(text)?.[1]
  const digits = /^(?:eip155:)?([1-9]\d{0,14})$/.exec(text)?.[1]
  const expected = reference === undefined ? 'eip191' : 'ed25519'
  if (reference === undefined && digits === undefined) {
    throw new SiwxError(
      'unsupported_chain',
      'SIGN-IN-WITH-X: "chainId" is not a supported chain, expected a form such as 8453, "eip155:8453" or "solana:" with the reference of its network',
    )
  }
  if (type !== expected) {
    throw new SiwxError(
      'chain_mismatch',
      `SIGN-IN-WITH-X: "type" does not match "chainId", expected "${expected}" (the default is "eip191")`,
    )
  }
  return reference === undefined
    ? { kind: 'evm', id: Number(digits) }
    : { kind: 'solana', reference }
}

function describeType(value: unknown): string {
  return value === undefined
    ? 'missing'
    : value === null
      ? 'null'
      : Array.isArray(value)
        ? 'an array'
        : `a ${typeof value}`
}

function createPayloadError(what: string): SiwxError {
  return new SiwxError('invalid_payload', `SIGN-IN-WITH-X: ${what}`)
}
