import { inspect } from 'node:util'
import { ed25519 } from '@noble/curves/ed25519.js'
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import { expect, test, vi } from 'vitest'
import { createSiwxHeader } from '../sign-in/create-siwx-header.js'
import { solanaKeySigner } from '../keys.js'
import { solanaSigner, type SolanaSource } from './solana-signer.js'
import { verifySiwxHeader } from '../verify.js'

const seed = new Uint8Array(32).fill(7)
const address = solanaKeySigner(seed).address
const sign = (bytes: Uint8Array) => ed25519.sign(bytes, seed)

const account = { address }
const createStandardWallet = (
  change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): SolanaSource => ({
  accounts: [account],
  features: {
    'solana:signMessage': {
      signMessage: async ({ account: given, message }) => {
        expect(given).toBe(account)
        return [{ signedMessage: change(message), signature: sign(change(message)) }]
      },
    },
  },
})

const signers = {
  'a secret of 32 bytes': () => solanaKeySigner(seed),
  'a secret of 64 bytes': () =>
    solanaKeySigner(Uint8Array.from([...seed, ...ed25519.getPublicKey(seed)])),
  'a wallet adapter': () =>
    solanaSigner({
      publicKey: { toBase58: () => address },
      signMessage: async (bytes) => sign(bytes),
    }),
  'an injected wallet that wraps the signature': () =>
    solanaSigner({
      publicKey: { toBase58: () => address },
      signMessage: async (bytes) => ({ signature: sign(bytes) }),
    }),
  'a wallet of the wallet standard': () => solanaSigner(createStandardWallet()),
  'a key pair signer of kit': async () =>
    solanaSigner(await createKeyPairSignerFromPrivateKeyBytes(seed)),
}

for (const [name, make] of Object.entries(signers)) {
  test(`${name} signs in`, async () => {
    const service = { domain: 'api.example', uri: 'https://api.example' }
    const header = await createSiwxHeader(await make(), {
      ...service,
      statement: 'Sign in to Farebox API',
    })
    expect(await verifySiwxHeader(header, service)).toMatchObject({ address, chain: 'solana' })
  })
}

test('a hardware wallet that signs an envelope gets a clear error', async () => {
  const signer = solanaSigner(createStandardWallet((bytes) => Uint8Array.from([255, ...bytes])))
  await expect(signer.sign('x')).rejects.toThrow(
    'the wallet did not sign the message itself; some hardware wallets sign an envelope',
  )
})

const publicKeyBytes = ed25519.getPublicKey(seed)
const publicKey = { toBase58: () => address, toBytes: () => publicKeyBytes }
const signEnvelope = (bytes: Uint8Array) => sign(Uint8Array.from([255, ...bytes]))

test('detects by its key an adapter or a wallet that signed something else', async () => {
  const adapter = (signMessage: (bytes: Uint8Array) => Uint8Array) =>
    solanaSigner({ publicKey, signMessage: async (bytes) => signMessage(bytes) })
  await expect(adapter(sign).sign('x')).resolves.toHaveLength(88)
  await expect(adapter(signEnvelope).sign('x')).rejects.toThrow(
    'the wallet did not sign the message itself',
  )
  const signMessage = async ({ message }: { message: Uint8Array }) => [
    { signedMessage: message, signature: signEnvelope(message) },
  ]
  const liar = {
    accounts: [{ address, publicKey: publicKey.toBytes() }],
    features: { 'solana:signMessage': { signMessage } },
  }
  await expect(solanaSigner(liar).sign('x')).rejects.toThrow(
    'the wallet did not sign the message itself',
  )
})

test('without Ed25519 on the platform the service verifies the signature', async () => {
  const signMessage = signEnvelope(new TextEncoder().encode('x'))
  vi.stubGlobal('crypto', {
    subtle: {
      importKey: async () =>
        Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError')),
    },
  })
  const signer = solanaSigner({ publicKey, signMessage: async () => signMessage })
  const signature = await signer.sign('x').finally(() => vi.unstubAllGlobals())
  expect(signature).toHaveLength(88)
})

test('a wallet that does not return a signature is an error', async () => {
  const signer = solanaSigner({
    publicKey: { toBase58: () => address },
    signMessage: async () => new Uint8Array(63),
  })
  await expect(signer.sign('x')).rejects.toMatchObject({ code: 'signing_failed' })
})

test('rejects a wallet that is not connected', () => {
  expect(() => solanaSigner({ publicKey: null, signMessage: async (bytes) => bytes })).toThrow(
    'expected a connected wallet adapter',
  )
})

test('rejects an invalid secret, and no signer reveals its secret', () => {
  expect(() => solanaKeySigner(new Uint8Array(31))).toThrow('expected a secret of 32 or 64 bytes')
  expect(() => solanaKeySigner(new Uint8Array(64).fill(7))).toThrow(
    'does not match the secret half',
  )
  expect(inspect(solanaKeySigner(seed), { depth: 9, showHidden: true })).not.toContain('7, 7, 7')
})
