import { base58, base64 } from '@scure/base'
import {
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockhash, feePayer, payOnSolana, seed } from '../../test/solana-paying.js'
import {
  encodeMessage,
  encodeTransaction,
  type Instruction,
  readSolanaTransaction,
} from './transaction.js'

test('kit decodes our message, and encodes the same bytes', async () => {
  const { payload } = await payOnSolana(seed)
  const { messageBytes } = getTransactionDecoder().decode(base64.decode(payload))
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes)
  expect(getCompiledTransactionMessageEncoder().encode(compiled)).toEqual(
    Uint8Array.from(messageBytes),
  )
  expect(compiled).toMatchObject({
    version: 0,
    header: { numSignerAccounts: 2, numReadonlySignerAccounts: 1 },
    lifetimeToken: blockhash,
  })
})

test('any message round-trips through our reader and kit', () => {
  const address = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => base58.encode(bytes))
  const account = fc.record({ address, signer: fc.boolean(), writable: fc.boolean() })
  const data = fc.uint8Array({ maxLength: 200 })
  const instruction = fc.record({
    program: address,
    accounts: fc.array(account, { maxLength: 4 }),
    data,
  })
  fc.assert(
    fc.property(fc.array(instruction, { maxLength: 3 }), (instructions: Instruction[]) => {
      const message = encodeMessage({ feePayer, recentBlockhash: blockhash, instructions })
      const compiled = getCompiledTransactionMessageDecoder().decode(message)
      expect(getCompiledTransactionMessageEncoder().encode(compiled)).toEqual(message)
      const signatures = Array.from(
        { length: compiled.header.numSignerAccounts },
        () => new Uint8Array(64),
      )
      const transaction = encodeTransaction(signatures, message)
      const result = readSolanaTransaction(base64.encode(transaction))
      if (transaction.length > 1232) {
        // larger than a packet
        expect(result).toBeUndefined()
        return
      }
      expect(
        result?.instructions.map(({ program, accounts, data: bytes }) => [
          program,
          accounts.map((account) => account.address),
          bytes,
        ]),
      ).toEqual(
        instructions.map(({ program, accounts, data: bytes }) => [
          program,
          accounts.map((account) => account.address),
          bytes,
        ]),
      )
      for (const { accounts } of instructions) {
        for (const expected of accounts) {
          const decoded = result?.accounts.find((account) => account.address === expected.address)
          expect([
            !expected.signer || decoded?.signer,
            !expected.writable || decoded?.writable,
          ]).toEqual([true, true])
        }
      }
    }),
  )
})
