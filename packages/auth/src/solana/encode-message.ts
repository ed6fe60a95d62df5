import { concatBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'

/**
 * An account of an instruction: its base58 address, and the rights that the instruction needs.
 */
export type AccountUse = {
  readonly address: string
  readonly signer?: boolean
  readonly writable?: boolean
}

export type Instruction = {
  readonly program: string
  readonly accounts: readonly AccountUse[]
  readonly data: Uint8Array
}

export type MessageFields = {
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
  const indexOf = (address: string) => accounts.findIndex((account) => account.address === address)
  return concatBytes(
    Uint8Array.of(0x80, signers.length, readonly(signers), readonly(accounts) - readonly(signers)),
    encodeList(accounts.map(({ address }) => decodeKey(address))),
    decodeKey(recentBlockhash),
    encodeList(
      instructions.map((instruction) => {
        const indexes = Uint8Array.from(instruction.accounts, ({ address }) => indexOf(address))
        return concatBytes(
          Uint8Array.of(indexOf(instruction.program)),
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
