import { createEVM } from '@ethereumjs/evm'
import { createAddressFromString } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { createPublicClient, custom, encodeAbiParameters, type Hex } from 'viem'
import { base } from 'viem/chains'
import { expect, test } from 'vitest'
import { encodeJsonHeader } from '../encoding.js'
import { checksumAddress } from '../evm/address.js'
import { siweMessage } from '../sign-in/create-siwx-header.js'
import { contractVerifier } from './contract-verifier.js'
import { verifySiwxHeader } from './verify-siwx-header.js'

const hash: Hex = `0x${'ab'.repeat(32)}`
const magic = `1626ba7e${'00'.repeat(28)}`
// 65 bytes, because viem's validator needs at least 32
const good: Hex = `0xabcdef${'11'.repeat(62)}`
const forged: Hex = `0xabcdee${'11'.repeat(62)}`

/** Puts a word in memory and returns `length` bytes of it. */
const buildReturnCode = (put: string, length = '20') => `${put}60005260${length}6000f3`
/** The word of ERC-1271 if the signature begins with the bytes abcdef, otherwise 0. */
const takesAbcdef = buildReturnCode(`6064357fabcdef${'11'.repeat(29)}147f${magic}02`)

const wallets: readonly [string, string, boolean][] = [
  ['that takes the signature', takesAbcdef, true],
  ['that answers 1', buildReturnCode('6001'), false],
  [
    'that answers the word with something behind it',
    buildReturnCode(`7f1626ba7e${'00'.repeat(27)}01`),
    false,
  ],
  ['that answers 4 bytes', buildReturnCode(`7f${magic}`, '04'), false],
  ['that answers nothing', '00', false],
  ['that reverts with the word', `7f${magic}60005260206000fd`, false],
  ['that writes to its storage', `6001600055${takesAbcdef}`, false],
  ['that never ends', '5b600056', false],
]

/** Init code that deploys a runtime of less than 256 bytes. */
const buildInitCode = (runtime: string): Hex =>
  `0x60${(runtime.length / 2).toString(16).padStart(2, '0')}80600b6000396000f3${runtime}`
/** Passes its call data to CREATE2 with salt 0. */
const factoryCode = '36600060003760003660006000f55000'

/** A chain in this process, and functions that call it. */
async function chain() {
  const evm = await createEVM()
  const run = (data: Hex, to?: string) =>
    evm.runCall({
      data: hexToBytes(data.slice(2)),
      gasLimit: 2_000_000n,
      ...(to !== undefined && { to: createAddressFromString(to) }),
    })
  const deploy = async (runtime: string) =>
    `0x${bytesToHex((await run(buildInitCode(runtime))).createdAddress?.bytes ?? new Uint8Array())}` as const
  const ethCall = async (code: string, to?: string): Promise<Hex> => {
    await evm.stateManager.checkpoint()
    const { execResult } = await run(code as Hex, to)
    await evm.stateManager.revert()
    if (execResult.exceptionError) throw new Error('execution reverted')
    return `0x${bytesToHex(execResult.returnValue)}`
  }
  const request = async ({ params }: { params?: unknown }) => {
    const [{ data, to }] = params as [{ data: string; to?: string }]
    return ethCall(data, to)
  }
  const viem = createPublicClient({
    chain: base,
    transport: custom({ request }, { retryCount: 0 }),
  })
  return { deploy, ethCall, viem, verify: contractVerifier((_, code) => ethCall(code)) }
}

/** The address of a wallet that CREATE2 deploys. */
const create2Address = (factory: Hex, init: Hex): Hex => {
  const input = [
    0xff,
    ...hexToBytes(factory.slice(2)),
    ...new Uint8Array(32),
    ...keccak_256(hexToBytes(init.slice(2))),
  ]
  return `0x${bytesToHex(keccak_256(Uint8Array.from(input)).slice(12))}`
}

const wrap = (factory: Hex, init: Hex, signature: Hex): Hex =>
  `${encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }], [factory, init, signature])}${'6492'.repeat(16)}`

for (const [name, runtime, isAccepted] of wallets) {
  test(`a wallet ${name} ${isAccepted ? 'accepts' : 'rejects'}, like viem`, async () => {
    const { deploy, verify, viem } = await chain()
    const address = await deploy(runtime)
    expect(await verify(address, hash, good, 8453)).toBe(isAccepted)
    expect(await verify(address, hash, forged, 8453)).toBe(false)
    expect(await viem.verifyHash({ address, hash, signature: good })).toBe(isAccepted)
  })
}

test('rejects an address without code, and a precompiled contract', async () => {
  const { verify } = await chain()
  for (const last of ['11', '01', '02', '04'])
    expect(await verify(`0x${last.padStart(40, '0')}`, hash, good, 8453)).toBe(false)
})

test('calls the factory of a wallet that is not deployed yet first, like viem, and the wallet stays undeployed', async () => {
  const { deploy, verify, viem } = await chain()
  const factory = await deploy(factoryCode)
  const init = buildInitCode(takesAbcdef)
  const address = create2Address(factory, init)
  for (const [signature, isAccepted] of [
    [good, true],
    [forged, false],
  ] as const) {
    expect(await verify(address, hash, wrap(factory, init, signature), 8453)).toBe(isAccepted)
    expect(
      await viem.verifyHash({ address, hash, signature: wrap(factory, init, signature) }),
    ).toBe(isAccepted)
  }
  expect(await verify(address, hash, good, 8453)).toBe(false)
  expect(await verify(address, hash, wrap(factory, buildInitCode('00'), good), 8453)).toBe(false)
  expect(await verify(`0x${'11'.repeat(20)}`, hash, wrap(factory, init, good), 8453)).toBe(false)
})

test('a deployed wallet accepts a wrapped signature without its factory', async () => {
  const { deploy, verify } = await chain()
  expect(
    await verify(
      await deploy(takesAbcdef),
      hash,
      wrap(`0x${'11'.repeat(20)}`, '0x1234', good),
      8453,
    ),
  ).toBe(true)
})

test('a wrapped signature with an invalid ABI encoding is rejected without a call', async () => {
  const verify = contractVerifier(() => Promise.reject(new Error('asked')))
  const whole = wrap(`0x${'11'.repeat(20)}`, '0x1234', good).slice(2, -64)
  const odd = [
    '',
    whole.slice(0, 64),
    `ff${whole.slice(2)}`,
    whole.slice(0, 128) + 'ff'.repeat(32) + whole.slice(192),
    whole.slice(0, -128),
  ]
  for (const body of odd)
    expect(await verify(`0x${'22'.repeat(20)}`, hash, `0x${body}${'6492'.repeat(16)}`, 8453)).toBe(
      false,
    )
})

test('a result other than 1 or 0 is an error of the node', async () => {
  for (const response of ['0x', '0x1', '0x01', `0x${'0'.repeat(63)}2`, 'true']) {
    await expect(
      contractVerifier(async () => response)(`0x${'11'.repeat(20)}`, hash, good, 1),
    ).rejects.toThrow('Contract check: chain 1 did not return 1 or 0')
  }
})

test('a smart wallet signs in: deployed, and not deployed yet', async () => {
  const { deploy, verify } = await chain()
  const factory = await deploy(factoryCode)
  const init = buildInitCode(takesAbcdef)
  const now = Date.UTC(2026, 5, 30, 12)
  const service = {
    domain: 'api.example',
    uri: 'https://api.example',
    now: () => now,
    verifyContract: verify,
  }
  const signIn = (address: string, signature: string) => {
    const issuedAt = new Date(now).toISOString()
    const message = siweMessage({
      ...service,
      address,
      chainId: 8453,
      nonce: '0123456789abcdef',
      issuedAt,
    })
    return verifySiwxHeader(
      encodeJsonHeader({ address, message, signature, timestamp: now, chainId: 8453 }),
      service,
    )
  }
  const [deployed, future] = [
    checksumAddress(await deploy(takesAbcdef)),
    checksumAddress(create2Address(factory, init)),
  ]
  expect(await signIn(deployed, good)).toMatchObject({ address: deployed })
  expect(await signIn(future, wrap(factory, init, good))).toMatchObject({ address: future })
  await expect(signIn(deployed, forged)).rejects.toMatchObject({ code: 'invalid_signature' })
  await expect(signIn(future, wrap(factory, init, forged))).rejects.toMatchObject({
    code: 'invalid_signature',
  })
})
