import { ed25519 } from '@noble/curves/ed25519.js'
import { base64 } from '@scure/base'
import { expect, test } from 'vitest'
import { memoProgram, tokenProgram } from '../solana/address.js'
import {
  assertion,
  budget,
  verifyCode,
  destination,
  feePayer,
  validParts,
  limit,
  toLittleEndian,
  memo,
  offer,
  payer,
  price,
  recorded,
  createSeed,
  source,
  stranger,
  encodeTransaction,
  transfer,
  createTransfer,
  usdc,
  createV2Payment,
  withCalls,
} from '../../test/solana-transactions.js'

const rejected: [string, () => unknown, string][] = [
  ['what is not base64', () => createV2Payment('?'), 'transaction_could_not_be_decoded'],
  [
    'base64url',
    () => createV2Payment(recorded.replaceAll('/', '_')),
    'transaction_could_not_be_decoded',
  ],
  ['no transaction', () => ({ ...createV2Payment(''), payload: {} }), 'invalid_payload'],
  [
    'a byte too many',
    () => createV2Payment(base64.encode(Uint8Array.from([...base64.decode(recorded), 0]))),
    'transaction_could_not_be_decoded',
  ],
  [
    'a byte too few',
    () => createV2Payment(base64.encode(base64.decode(recorded).slice(0, -1))),
    'transaction_could_not_be_decoded',
  ],
  [
    'more than a packet',
    () =>
      withCalls(
        ...Array.from({ length: 8 }, () => ({ ...memo, data: Array<number>(127).fill(0) })),
      ),
    'transaction_could_not_be_decoded',
  ],
  [
    'version 1',
    () => createV2Payment(encodeTransaction({ version: 0x81 })),
    'transaction_could_not_be_decoded',
  ],
  [
    'address tables',
    () => createV2Payment(encodeTransaction({ tables: [...new Uint8Array(32).fill(1), 1, 0, 0] })),
    'transaction_could_not_be_decoded',
  ],
  [
    'a key that comes twice',
    () => createV2Payment(encodeTransaction({ keys: [...validParts.keys, payer] })),
    'transaction_could_not_be_decoded',
  ],
  [
    'a key that is not there',
    () => createV2Payment(encodeTransaction({ keys: validParts.keys.slice(0, -1) })),
    'transaction_could_not_be_decoded',
  ],
  [
    'fewer signatures than signers',
    () => createV2Payment(encodeTransaction({ sign: () => [new Uint8Array(64)] })),
    'transaction_could_not_be_decoded',
  ],
  [
    'another fee payer',
    () =>
      createV2Payment(
        encodeTransaction({
          keys: [stranger, ...validParts.keys.slice(1, 8), feePayer, tokenProgram],
        }),
      ),
    'invalid_exact_svm_fee_payer_mismatch',
  ],
  [
    'a fee payer that pays itself',
    () =>
      withCalls(
        limit,
        price,
        createTransfer(5_000_000n, [source, usdc, destination, feePayer]),
        memo,
      ),
    'transaction_fee_payer_transferring_funds',
  ],
  [
    'a fee payer in an assertion',
    () => withCalls(limit, price, transfer, memo, { ...assertion, accounts: [feePayer] }),
    'transaction_fee_payer_transferring_funds',
  ],
  ['two instructions', () => withCalls(limit, price), 'transaction_instructions_length'],
  [
    'eight instructions',
    () => withCalls(limit, price, transfer, memo, assertion, assertion, assertion, assertion),
    'transaction_instructions_length',
  ],
  [
    'price before limit',
    () => withCalls(price, limit, transfer, memo),
    `${budget}_limit_instruction`,
  ],
  [
    'a limit with a byte too many',
    () => withCalls({ ...limit, data: [...limit.data, 0] }, price, transfer, memo),
    `${budget}_limit_instruction`,
  ],
  [
    'a limit above what the chain gives',
    () =>
      withCalls({ ...limit, data: [2, ...toLittleEndian(1_400_001n, 4)] }, price, transfer, memo),
    `${budget}_limit_instruction_too_high`,
  ],
  ['no price', () => withCalls(limit, transfer, memo), `${budget}_price_instruction`],
  [
    'a price of more than 5 lamports',
    () =>
      withCalls(limit, { ...price, data: [3, ...toLittleEndian(5_000_001n, 8)] }, transfer, memo),
    `${budget}_price_instruction_too_high`,
  ],
  ['no transfer', () => withCalls(limit, price, memo), 'no_transfer_instruction'],
  [
    'a transfer that is not checked',
    () =>
      withCalls(limit, price, { ...transfer, data: [3, ...toLittleEndian(5_000_000n, 8)] }, memo),
    'no_transfer_instruction',
  ],
  [
    'other decimals',
    () =>
      withCalls(
        limit,
        price,
        createTransfer(5_000_000n, [source, usdc, destination, payer], 9),
        memo,
      ),
    'no_transfer_instruction',
  ],
  [
    'a multisignature',
    () =>
      withCalls(
        limit,
        price,
        createTransfer(5_000_000n, [source, usdc, destination, payer, stranger]),
        memo,
      ),
    'no_transfer_instruction',
  ],
  [
    'a program that is not the mint’s',
    () => withCalls(limit, price, { ...transfer, program: memoProgram }, memo),
    'no_transfer_instruction',
  ],
  [
    'an authority that does not sign',
    () =>
      withCalls(
        limit,
        price,
        createTransfer(5_000_000n, [source, usdc, destination, stranger]),
        memo,
      ),
    'no_transfer_instruction',
  ],
  [
    'a destination that is not writable',
    () => createV2Payment(encodeTransaction({ header: [2, 1, 7] })),
    'no_transfer_instruction',
  ],
  [
    'another mint',
    () =>
      withCalls(
        limit,
        price,
        createTransfer(5_000_000n, [source, stranger, destination, payer]),
        memo,
      ),
    'mint_mismatch',
  ],
  [
    'another payee',
    () =>
      withCalls(limit, price, createTransfer(5_000_000n, [source, usdc, stranger, payer]), memo),
    'recipient_mismatch',
  ],
  [
    'the payee’s wallet instead of its token account',
    () => withCalls(limit, price, createTransfer(5_000_000n, [source, usdc, source, payer]), memo),
    'recipient_mismatch',
  ],
  [
    'the payee’s own tokens',
    () =>
      withCalls(
        limit,
        price,
        createTransfer(5_000_000n, [destination, usdc, destination, payer]),
        memo,
      ),
    'recipient_mismatch',
  ],
  [
    'another amount',
    () => withCalls(limit, price, createTransfer(4_999_999n), memo),
    'amount_mismatch',
  ],
  [
    'a second transfer',
    () => withCalls(limit, price, transfer, memo, transfer),
    'unknown_optional_instruction',
  ],
  ['no memo', () => withCalls(limit, price, transfer, assertion), 'memo_count'],
  ['two memos', () => withCalls(limit, price, transfer, memo, memo), 'memo_count'],
  [
    'another memo',
    () => withCalls(limit, price, transfer, { ...memo, data: [1] }),
    'memo_mismatch',
  ],
  [
    'a third signer',
    () =>
      createV2Payment(
        encodeTransaction({
          header: [3, 0, 6],
          sign: (message) => [...validParts.sign(message), new Uint8Array(64)],
        }),
      ),
    'excessive_signers',
  ],
  [
    'no signature',
    () =>
      createV2Payment(encodeTransaction({ sign: () => [new Uint8Array(64), new Uint8Array(64)] })),
    'signature_invalid',
  ],
  [
    'the signature of another',
    () =>
      createV2Payment(
        encodeTransaction({
          sign: (message) => [new Uint8Array(64), ed25519.sign(message, createSeed(10))],
        }),
      ),
    'signature_invalid',
  ],
  [
    'a signature of the fee payer',
    () =>
      createV2Payment(
        encodeTransaction({
          sign: (message) => [
            ed25519.sign(message, createSeed(8)),
            ed25519.sign(message, createSeed(7)),
          ],
        }),
      ),
    'signature_invalid',
  ],
  [
    'another network',
    () => createV2Payment(recorded, { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }),
    'invalid_network',
  ],
  [
    'the mint in lower case',
    () => createV2Payment(recorded, { asset: usdc.toLowerCase() }),
    'invalid_asset',
  ],
  [
    'another payee in accepted',
    () => createV2Payment(recorded, { payTo: stranger }),
    'recipient_mismatch',
  ],
  [
    'another fee payer in accepted',
    () => createV2Payment(recorded, { extra: { ...offer.extra, feePayer: stranger } }),
    'invalid_payment_requirements',
  ],
  [
    'another memo in accepted',
    () => createV2Payment(recorded, { extra: { feePayer } }),
    'invalid_payment_requirements',
  ],
]

for (const [name, payload, code] of rejected)
  test(`${name} is rejected: ${code}`, async () => expect(await verifyCode(payload())).toBe(code))
