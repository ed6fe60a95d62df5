import { encodePkcs8, type NativeCurves } from './native-curves.js'

/** For browsers, workers and all platforms but Node: Ed25519 of WebCrypto, if available. */
export const nativeCurves: NativeCurves = {
  ed25519Signer: (seed) => {
    let importing: Promise<CryptoKey> | undefined
    return async (message) => {
      try {
        const key = await (importing ??= crypto.subtle.importKey(
          'pkcs8',
          encodePkcs8(seed),
          'Ed25519',
          false,
          ['sign'],
        ))
        return new Uint8Array(await crypto.subtle.sign('Ed25519', key, Uint8Array.from(message)))
      } catch {
        return undefined
      }
    }
  },
}
