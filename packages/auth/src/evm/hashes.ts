import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { checksumAddress } from './address.js'

export type TypedDataField = { readonly name: string; readonly type: string }

/** EIP-712 typed data as JSON, with `EIP712Domain` and integers as numbers or decimal strings. */
export type TypedData = {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<Record<string, readonly TypedDataField[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

/**
 * The hash that `eth_signTypedData_v4` signs (EIP-712). `types` must include `EIP712Domain`. Throws
 * a TypeError for a value that does not match its type.
 */
export function hashTypedData({ domain, types, primaryType, message }: TypedData): Uint8Array {
  const separator = hashStruct('EIP712Domain', domain, types)
  return keccak_256(
    concatBytes(Uint8Array.of(0x19, 0x01), separator, hashStruct(primaryType, message, types)),
  )
}

type Types = TypedData['types']
type Fields = Readonly<Record<string, unknown>>

function hashStruct(name: string, value: Fields, types: Types): Uint8Array {
  const fields = structFields(name, types)
  const words = fields.map((field) =>
    encode(field.type, value[field.name], types, `${name}.${field.name}`),
  )
  return keccak_256(concatBytes(keccak_256(utf8ToBytes(encodeType(name, types))), ...words))
}

function structFields(name: string, types: Types): readonly TypedDataField[] {
  const fields = Object.hasOwn(types, name) ? types[name] : undefined
  if (!fields) throw new TypeError(`Typed data: type "${name}" is not in "types"`)
  return fields
}

/** The signature of the struct, then those of all structs that it references, sorted by name. */
function encodeType(name: string, types: Types): string {
  const reached = new Set<string>()
  const visit = (type: string) => {
    const base = type.replace(/(\[\d*\])+$/, '')
    if (reached.has(base) || !Object.hasOwn(types, base)) return
    reached.add(base)
    for (const field of structFields(base, types)) visit(field.type)
  }
  visit(name)
  reached.delete(name)
  const print = (type: string) =>
    `${type}(${structFields(type, types)
      .map((field) => `${field.type} ${field.name}`)
      .join(',')})`
  return [name, ...[...reached].toSorted()].map(print).join('')
}

/** Encodes one value as a 32-byte word. */
function encode(type: string, value: unknown, types: Types, at: string): Uint8Array {
  const array = /^(.*)\[(\d*)\]$/.exec(type)
  if (array) {
    const [, item = '', length = ''] = array
    if (!Array.isArray(value) || (length !== '' && value.length !== Number(length)))
      throw typeMismatch(type, at)
    return keccak_256(
      concatBytes(...value.map((element: unknown) => encode(item, element, types, at))),
    )
  }
  if (Object.hasOwn(types, type)) {
    if (typeof value !== 'object' || value === null) throw typeMismatch(type, at)
    return hashStruct(type, value as Fields, types)
  }
  if (type === 'string') return keccak_256(utf8ToBytes(toText(value, type, at)))
  if (type === 'bytes') return keccak_256(toBytes(value, type, at))
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw typeMismatch(type, at)
    return toWord(value ? 1n : 0n)
  }
  if (type === 'address') {
    const bytes = toBytes(value, type, at)
    if (bytes.length !== 20) throw typeMismatch(type, at)
    return toWord(BigInt(`0x${bytesToHex(bytes)}`))
  }
  const fixed = /^bytes(\d+)$/.exec(type)
  if (fixed) {
    const bytes = toBytes(value, type, at)
    if (bytes.length !== Number(fixed[1]) || bytes.length < 1 || bytes.length > 32)
      throw typeMismatch(type, at)
    return concatBytes(bytes, new Uint8Array(32 - bytes.length))
  }
  const integer = /^(u?)int(\d+)$/.exec(type)
  if (integer) return encodeInteger(value, integer[1] === 'u', BigInt(integer[2] ?? 256), type, at)
  throw new TypeError(`Typed data: ${at} has the unknown type "${type}"`)
}

function encodeInteger(
  value: unknown,
  unsigned: boolean,
  bits: bigint,
  type: string,
  at: string,
): Uint8Array {
  const numeric =
    typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  const decimal = typeof value === 'string' && /^-?\d{1,78}$/.test(value)
  if (!numeric && !decimal) throw typeMismatch(type, at)
  const number = BigInt(value)
  const most = unsigned ? 2n ** bits : 2n ** (bits - 1n)
  if (number >= most || number < (unsigned ? 0n : -most)) throw typeMismatch(type, at)
  return toWord(BigInt.asUintN(256, number))
}

function toText(value: unknown, type: string, at: string): string {
  if (typeof value !== 'string') throw typeMismatch(type, at)
  return value
}

function toBytes(value: unknown, type: string, at: string): Uint8Array {
  if (value instanceof Uint8Array) return value
  const hex = toText(value, type, at)
  if (!/^0x([0-9a-fA-F]{2})*$/.test(hex)) throw typeMismatch(type, at)
  return hexToBytes(hex.slice(2))
}

function toWord(value: bigint): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, '0'))
}

function typeMismatch(type: string, at: string): TypeError {
  return new TypeError(`Typed data: the value of ${at} is not a ${type}`)
}

/** The hash that `personal_sign` signs: EIP-191, version 0x45. The length counts UTF-8 bytes. */
export function hashMessage(message: string): Uint8Array {
  const bytes = utf8ToBytes(message)
  return keccak_256(
    concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes),
  )
}

/** The EIP-55 address of an uncompressed public key (65 bytes). */
export function addressFromPublicKey(publicKey: Uint8Array): string {
  return checksumAddress(`0x${bytesToHex(keccak_256(publicKey.slice(1)).slice(12))}`, keccak_256)
}
