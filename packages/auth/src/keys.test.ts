import { inspect } from 'node:util'
import * as fc from 'fast-check'
import { generatePrivateKey as viemKey, privateKeyToAccount } from 'viem/accounts'
import { hashTypedData as viemHash } from 'viem'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { hashMessage, hashTypedData, recoverAddress } from './evm/signature.js'
import { generatePrivateKey, privateKeySigner } from './keys.js'
import { findUsdcContract, transferTypedData } from './evm/usdc.js'

const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

test('derives the address from the key', () => {
  expect(privateKeySigner(key).address).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
})

test('signs messages like viem', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (message) => {
      const account = privateKeyToAccount(viemKey())
      const signer = privateKeySigner(key)
      expect(await signer.sign(message)).toBe(
        await privateKeyToAccount(key).signMessage({ message }),
      )
      expect(recoverAddress(hashMessage(message), await account.signMessage({ message }))).toBe(
        account.address,
      )
    }),
    { numRuns: 20 },
  )
})

// the example of EIP-712 itself
const mail = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
} as const

test('the example of EIP-712 has the hash in EIP-712', () => {
  expect(Buffer.from(hashTypedData(mail)).toString('hex')).toBe(
    'be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2',
  )
})

test('the example of EIP-712 has the signature of its private key, keccak-256 of "cow"', async () => {
  const cow = privateKeySigner(`0x${Buffer.from(keccak_256(Buffer.from('cow'))).toString('hex')}`)
  expect(cow.address).toBe('0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826')
  expect(await cow.signTypedData(mail)).toBe(
    '0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c',
  )
})

test('hashes arrays, bytes, booleans and negative integers like viem', () => {
  const types = {
    EIP712Domain: [{ name: 'name', type: 'string' }],
    Leaf: [{ name: 'flag', type: 'bool' }],
    All: [
      { name: 'leaves', type: 'Leaf[]' },
      { name: 'grid', type: 'uint8[2][]' },
      { name: 'blob', type: 'bytes' },
      { name: 'four', type: 'bytes4' },
      { name: 'less', type: 'int64' },
    ],
  }
  const value = fc.record({
    leaves: fc.array(fc.record({ flag: fc.boolean() })),
    grid: fc.array(fc.tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }))),
    blob: fc.uint8Array().map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
    four: fc
      .uint8Array({ minLength: 4, maxLength: 4 })
      .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
    less: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  })
  fc.assert(
    fc.property(value, (message) => {
      const data = { domain: { name: 'x' }, types, primaryType: 'All', message } as const
      expect(`0x${Buffer.from(hashTypedData(data)).toString('hex')}`).toBe(viemHash(data as never))
    }),
  )
})

const base = findUsdcContract('eip155:8453') ?? expect.fail('Base is known')

test('signs a transfer like viem', async () => {
  const data = transferTypedData(base, {
    from: privateKeySigner(key).address,
    to: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
    value: '5000000',
    validAfter: '0',
    validBefore: '1782820800',
    nonce: `0x${'ab'.repeat(32)}`,
  })
  expect(await privateKeySigner(key).signTypedData(data)).toBe(
    await privateKeyToAccount(key).signTypedData(data as never),
  )
})

test('rejects a value that does not match its type', async () => {
  const data = { ...mail, message: { ...mail.message, contents: 7 } }
  await expect(privateKeySigner(key).signTypedData(data)).rejects.toThrow(
    'Typed data: the value of Mail.contents is not a string',
  )
})

test('rejects an invalid private key without revealing it', () => {
  for (const invalid of [
    '',
    key.slice(2),
    `${key}00`,
    `0x${'0'.repeat(64)}`,
    `0x${'f'.repeat(64)}`,
    ` ${key}`,
  ]) {
    expect(() => privateKeySigner(invalid)).toThrow(
      'expected a private key of 0x and 64 hex digits',
    )
  }
  try {
    privateKeySigner(`${key}ff`)
  } catch (error) {
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key.slice(2))
  }
})

test('a signer does not reveal the key', () => {
  const signer = privateKeySigner(key)
  const output = [
    inspect(signer, { depth: 9, showHidden: true }),
    JSON.stringify(signer),
    ...Object.values(signer).map(String),
  ]
  expect(output.join().toLowerCase()).not.toContain(key.slice(2, 20))
})

test('a generated key is valid: random values outside of the order are skipped', () => {
  expect(privateKeySigner(generatePrivateKey()).address).toMatch(/^0x[0-9a-fA-F]{40}$/)
  const chances = [new Uint8Array(32).fill(255), new Uint8Array(32), new Uint8Array(32).fill(1)]
  expect(generatePrivateKey(() => chances.shift() ?? new Uint8Array(32))).toBe(
    `0x${'01'.repeat(32)}`,
  )
})
