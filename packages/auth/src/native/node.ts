import { encodePkcs8, type NativeCurves } from './web.js'

// the parts of Node that this file uses: Node's own types would leak into the code for browsers
type Crypto = {
  readonly createPublicKey: (key: { readonly key: object; readonly format: 'jwk' }) => object
  readonly createPrivateKey: (key: {
    readonly key: Uint8Array
    readonly format: 'der'
    readonly type: 'pkcs8'
  }) => object
  readonly sign: (algorithm: null, data: Uint8Array, key: object) => Uint8Array
  readonly verify: (
    algorithm: null,
    data: Uint8Array,
    key: object,
    signature: Uint8Array,
  ) => boolean
}
type Module = { readonly createRequire: (from: string) => (id: string) => unknown }
type Process = {
  readonly getBuiltinModule: ((id: 'node:crypto') => Crypto) & ((id: 'node:module') => Module)
}
/** npm's `secp256k1`: libsecp256k1, the library of Bitcoin Core. */
type Secp256k1 = {
  readonly ecdsaSign: (
    hash: Uint8Array,
    key: Uint8Array,
  ) => { readonly signature: Uint8Array; readonly recid: number }
  readonly ecdsaRecover: (
    signature: Uint8Array,
    bit: number,
    hash: Uint8Array,
    compressed: false,
  ) => Uint8Array
}

const { process } = globalThis as unknown as { readonly process: Process }

/**
 * Ed25519 of `node:crypto`, and secp256k1 of npm's `secp256k1` if it is installed with a binary for
 * the platform.
 */
export const nativeCurves: NativeCurves = { ...loadSecp256k1(), ...loadEd25519() }

function loadSecp256k1(): NativeCurves {
  try {
    const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)
    // its main entry would load another implementation in JavaScript
    const { ecdsaRecover, ecdsaSign } = require('secp256k1/bindings.js') as Secp256k1
    return {
      recoverPublicKey: (hash, signature, bit) => ecdsaRecover(signature, bit, hash, false),
      signSecp256k1: (hash, key) => ecdsaSign(hash, key),
    }
  } catch {
    return {}
  }
}

function loadEd25519(): NativeCurves {
  const { createPrivateKey, createPublicKey, sign, verify } =
    process.getBuiltinModule('node:crypto')
  return {
    holdsEd25519: (signature, message, publicKey) => {
      const x = btoa(String.fromCharCode(...publicKey))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replace('=', '')
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
      return verify(null, message, key, signature)
    },
    ed25519Signer: (seed) => {
      const key = createPrivateKey({ key: encodePkcs8(seed), format: 'der', type: 'pkcs8' })
      return async (message) => sign(null, message, key)
    },
  }
}
