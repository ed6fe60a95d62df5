import { concatBytes } from '@noble/hashes/utils.js'
import { base58, base64 } from '@scure/base'

/**
 * An account of an instruction: its base58 address, and the rights that the instruction needs.
 */
type AccountUse = {
  readonly address: string
  readonly signer?: boolean
  readonly writable?: boolean
}

export type Instruction = {
  readonly program: string
  readonly accounts: readonly AccountUse[]
  readonly data: Uint8Array
}

type MessageFields = {
  readonly feePayer: string
  /** Base58 of 32 bytes. */
  readonly recentBlockhash: string
  readonly instructions: readonly Instruction[]
}

/**
 * The bytes of a message of version 0 without address tables, which each signer signs. The fee
 * payer comes first, then the other signers, the writable accounts and the rest.
 * @see https://solana.com/docs/core/transactions
 */
export function encodeMessage({
  feePayer,
  recentBlockhash,
  instructions,
}: MessageFields): Uint8Array {
  const accounts = orderAccounts(feePayer, instructions)
  const signers = accounts.filter(({ signer }) => signer)
  const readonly = (some: readonly Account[]) => some.filter(({ writable }) => !writable).length
  const findIndex = (address: string) =>
    accounts.findIndex((account) => account.address === address)
  return concatBytes(
    Uint8Array.of(0x80, signers.length, readonly(signers), readonly(accounts) - readonly(signers)),
    encodeList(accounts.map(({ address }) => decodeKey(address))),
    decodeKey(recentBlockhash),
    encodeList(
      instructions.map((instruction) => {
        const indexes = Uint8Array.from(instruction.accounts, ({ address }) => findIndex(address))
        return concatBytes(
          Uint8Array.of(findIndex(instruction.program)),
          encodeLength(indexes.length),
          indexes,
          encodeLength(instruction.data.length),
          instruction.data,
        )
      }),
    ),
    // no address tables
    Uint8Array.of(0),
  )
}

/**
 * A serialized transaction: the signatures, with zeros for the missing ones, and the message.
 */
export function encodeTransaction(
  signatures: readonly Uint8Array[],
  message: Uint8Array,
): Uint8Array {
  return concatBytes(encodeList(signatures), message)
}

type Account = { readonly address: string; readonly signer: boolean; readonly writable: boolean }

function orderAccounts(feePayer: string, instructions: readonly Instruction[]): readonly Account[] {
  const byAddress = new Map<string, Account>([
    [feePayer, { address: feePayer, signer: true, writable: true }],
  ])
  for (const { program, accounts } of instructions) {
    for (const { address, signer = false, writable = false } of [
      ...accounts,
      { address: program },
    ]) {
      const existing = byAddress.get(address)
      byAddress.set(address, {
        address,
        signer: signer || existing?.signer === true,
        writable: writable || existing?.writable === true,
      })
    }
  }
  const rank = ({ signer, writable }: Account) => (signer ? 0 : 2) + (writable ? 0 : 1)
  const [payer, ...others] = byAddress.values()
  return [...(payer ? [payer] : []), ...others.sort((left, right) => rank(left) - rank(right))]
}

function encodeList(items: readonly Uint8Array[]): Uint8Array {
  return concatBytes(encodeLength(items.length), ...items)
}

/** 7 bits in each byte, the lowest bits first. */
function encodeLength(count: number): Uint8Array {
  return count < 0x80 ? Uint8Array.of(count) : Uint8Array.of((count & 0x7f) | 0x80, count >> 7)
}

function decodeKey(address: string): Uint8Array {
  const bytes = base58.decode(address)
  if (bytes.length !== 32) throw new RangeError(`Solana: ${address} is not base58 of 32 bytes`)
  return bytes
}

/**
 * A transaction of version 0 without address tables. Some signatures may be missing.
 */
export type SolanaTransaction = {
  /** 64 bytes for each signer; zeros for a missing signature. */
  readonly signatures: readonly Uint8Array[]
  /** The signed bytes. */
  readonly message: Uint8Array
  /** The fee payer first, then the other signers, then the rest. */
  readonly accounts: readonly SolanaAccount[]
  readonly recentBlockhash: string
  readonly instructions: readonly SolanaInstruction[]
}

type SolanaAccount = {
  readonly address: string
  readonly signer: boolean
  readonly writable: boolean
}

export type SolanaInstruction = {
  readonly program: string
  readonly accounts: readonly SolanaAccount[]
  readonly data: Uint8Array
}

/** The size of a network packet, in bytes. */
const maxBytes = 1232

/**
 * Parses a transaction of version 0 in strict base64 that fits one packet. Undefined for anything
 * else: another version, address tables (only the chain knows their accounts), an index out of
 * range, a repeated key, trailing bytes.
 * @see https://solana.com/docs/core/transactions
 */
export function readSolanaTransaction(text: string): SolanaTransaction | undefined {
  if (text.length > Math.ceil(maxBytes / 3) * 4) return undefined
  try {
    const bytes = base64.decode(text)
    if (bytes.length > maxBytes) return undefined
    const reader = createReader(bytes)
    const signatures = reader.list(() => reader.bytes(64))
    const message = reader.rest()
    const [version, signers, readonlySigners, readonlyOthers] = [
      reader.byte(),
      reader.byte(),
      reader.byte(),
      reader.byte(),
    ]
    const keys = reader.list(() => base58.encode(reader.bytes(32)))
    const recentBlockhash = base58.encode(reader.bytes(32))
    const raw = reader.list(() => ({
      program: reader.byte(),
      accounts: reader.list(() => reader.byte()),
      data: reader.list(() => reader.byte()),
    }))
    const tables = reader.byte()
    if (version !== 0x80 || tables !== 0 || !reader.atEnd()) return undefined
    if (
      signers !== signatures.length ||
      readonlySigners >= signers ||
      readonlyOthers > keys.length - signers
    )
      return undefined
    if (new Set(keys).size !== keys.length) return undefined
    const accounts = keys.map((address, at) => ({
      address,
      signer: at < signers,
      writable: at < signers ? at < signers - readonlySigners : at < keys.length - readonlyOthers,
    }))
    const account = (at: number) => requireValue(accounts[at])
    const instructions = raw.map(({ program, accounts: accountIndexes, data }) => {
      // the fee payer comes first, and cannot be a program
      if (program === 0) throw new RangeError()
      return {
        program: account(program).address,
        accounts: accountIndexes.map(account),
        data: Uint8Array.from(data),
      }
    })
    return { signatures, message, accounts, recentBlockhash, instructions }
  } catch {
    return undefined
  }
}

function createReader(bytes: Uint8Array) {
  let at = 0
  const reader = {
    atEnd: () => at === bytes.length,
    rest: () => bytes.slice(at),
    byte: () => requireValue(bytes[at++]),
    bytes(length: number): Uint8Array {
      if (at + length > bytes.length) throw new RangeError()
      at += length
      return bytes.slice(at - length, at)
    },
    /**
     * An array after its length, which has 1 to 3 bytes of 7 bits each, in the shortest encoding.
     */
    list<Item>(read: () => Item): Item[] {
      let length = 0
      for (let shift = 0; ; shift += 7) {
        const byte = reader.byte()
        length |= (byte & 0x7f) << shift
        if (byte < 0x80 && (byte !== 0 || shift === 0)) break
        if (byte < 0x80 || shift === 14) throw new RangeError()
      }
      // each item has at least one byte
      if (length > bytes.length - at) throw new RangeError()
      return Array.from({ length }, read)
    },
  }
  return reader
}

function requireValue<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new RangeError()
  return value
}
