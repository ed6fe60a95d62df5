import { nativeCurves } from '#native-curves'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { RecoverPublicKey, SignSecp256k1 } from '../native/web.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { checksumAddress } from './address.js'

/**
 * The address whose key signed the hash, in EIP-55 form. Undefined for anything but a 65-byte
 * signature (0x and 130 hex digits) with v of 27, 28, 0 or 1 and s in the lower half of the order.
 * High s gives a second valid signature that can be computed without the key, and USDC's contract
 * rejects it. Never throws.
 */
export function recoverAddress(hash: Uint8Array, signature: string): string | undefined {
  return recoverAddressWith(nativeCurves.recoverPublicKey ?? recoverByNoble, hash, signature)
}

/**
 * Whether libsecp256k1 recovers the keys of EVM signatures. Without it @noble/curves does, with the
 * same results, about thirty times slower.
 */
export const hasLibsecp256k1 = nativeCurves.recoverPublicKey !== undefined

/** The result is the same with either implementation. */
export function recoverAddressWith(
  recoverPublicKey: RecoverPublicKey,
  hash: Uint8Array,
  signature: string,
): string | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature) || hasHighS(signature)) return undefined
  const bytes = hexToBytes(signature.slice(2))
  const v = bytes[64] ?? 255
  const bit = v >= 27 ? v - 27 : v
  if (bit !== 0 && bit !== 1) return undefined
  try {
    return deriveAddress(recoverPublicKey(hash, bytes.slice(0, 64), bit))
  } catch {
    return undefined
  }
}

export const recoverByNoble: RecoverPublicKey = (hash, signature, bit) =>
  secp256k1.Signature.fromBytes(signature, 'compact')
    .addRecoveryBit(bit)
    .recoverPublicKey(hash)
    .toBytes(false)

/** Whether a signature of 65 bytes has its s in the upper half of the order. */
export function hasHighS(signature: string): boolean {
  return (
    signature.length === 132 &&
    BigInt(`0x${signature.slice(66, 130)}`) > secp256k1.Point.Fn.ORDER >> 1n
  )
}

/**
 * The EVM signature of a hash, with the nonce of RFC 6979, low s, and v of 27 or 28. libsecp256k1
 * and noble return the same bytes.
 */
export function signHash(
  hash: Uint8Array,
  key: Uint8Array,
  sign: SignSecp256k1 = nativeCurves.signSecp256k1 ?? signByNoble,
): string {
  const { signature, recid } = sign(hash, key)
  return `0x${bytesToHex(signature)}${(recid + 27).toString(16)}`
}

export const signByNoble: SignSecp256k1 = (hash, key) => {
  const [recid = 0, ...compact] = secp256k1.sign(hash, key, {
    prehash: false,
    format: 'recovered',
    lowS: true,
  })
  return { signature: Uint8Array.from(compact), recid }
}

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
  const fields = findStructFields(name, types)
  const words = fields.map((field) =>
    encode(field.type, value[field.name], types, `${name}.${field.name}`),
  )
  return keccak_256(concatBytes(keccak_256(utf8ToBytes(encodeType(name, types))), ...words))
}

function findStructFields(name: string, types: Types): readonly TypedDataField[] {
  const fields = Object.hasOwn(types, name) ? types[name] : undefined
  if (!fields) throw new TypeError(`Typed data: type "${name}" is not in "types"`)
  return fields
}

/** The signature of the struct, then those of all structs that it references, sorted by name. */
function encodeType(name: string, types: Types): string {
  const structNames = new Set<string>()
  const visit = (type: string) => {
    const base = type.replace(/(\[\d*\])+$/, '')
    if (structNames.has(base) || !Object.hasOwn(types, base)) return
    structNames.add(base)
    for (const field of findStructFields(base, types)) visit(field.type)
  }
  visit(name)
  structNames.delete(name)
  const print = (type: string) =>
    `${type}(${findStructFields(type, types)
      .map((field) => `${field.type} ${field.name}`)
      .join(',')})`
  return [name, ...[...structNames].toSorted()].map(print).join('')
}

/** Encodes one value as a 32-byte word. */
function encode(type: string, value: unknown, types: Types, at: string): Uint8Array {
  const array = /^(.*)\[(\d*)\]$/.exec(type)
  if (array) {
    const [, item = '', length = ''] = array
    if (!Array.isArray(value) || (length !== '' && value.length !== Number(length)))
      throw createTypeMismatch(type, at)
    return keccak_256(
      concatBytes(...value.map((element: unknown) => encode(item, element, types, at))),
    )
  }
  if (Object.hasOwn(types, type)) {
    if (typeof value !== 'object' || value === null) throw createTypeMismatch(type, at)
    return hashStruct(type, value as Fields, types)
  }
  if (type === 'string') return keccak_256(utf8ToBytes(toText(value, type, at)))
  if (type === 'bytes') return keccak_256(toBytes(value, type, at))
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw createTypeMismatch(type, at)
    return toWord(value ? 1n : 0n)
  }
  if (type === 'address') {
    const bytes = toBytes(value, type, at)
    if (bytes.length !== 20) throw createTypeMismatch(type, at)
    return toWord(BigInt(`0x${bytesToHex(bytes)}`))
  }
  const fixed = /^bytes(\d+)$/.exec(type)
  if (fixed) {
    const bytes = toBytes(value, type, at)
    if (bytes.length !== Number(fixed[1]) || bytes.length < 1 || bytes.length > 32)
      throw createTypeMismatch(type, at)
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
  if (!numeric && !decimal) throw createTypeMismatch(type, at)
  const number = BigInt(value)
  const most = unsigned ? 2n ** bits : 2n ** (bits - 1n)
  if (number >= most || number < (unsigned ? 0n : -most)) throw createTypeMismatch(type, at)
  return toWord(BigInt.asUintN(256, number))
}

function toText(value: unknown, type: string, at: string): string {
  if (typeof value !== 'string') throw createTypeMismatch(type, at)
  return value
}

function toBytes(value: unknown, type: string, at: string): Uint8Array {
  if (value instanceof Uint8Array) return value
  const hex = toText(value, type, at)
  if (!/^0x([0-9a-fA-F]{2})*$/.test(hex)) throw createTypeMismatch(type, at)
  return hexToBytes(hex.slice(2))
}

function toWord(value: bigint): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, '0'))
}

function createTypeMismatch(type: string, at: string): TypeError {
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
export function deriveAddress(publicKey: Uint8Array): string {
  return checksumAddress(`0x${bytesToHex(keccak_256(publicKey.slice(1)).slice(12))}`, keccak_256)
}
