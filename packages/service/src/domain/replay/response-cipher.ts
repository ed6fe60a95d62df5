import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto'

/** What a stored response is encrypted with. */
export type CipherOptions = {
  /** Secret of the service. */
  readonly secret: string
  /** The Idempotency-Key, which the caller has and the service does not keep. */
  readonly key: string
  readonly account: string
  readonly operation: string
  /** Random, new for each response. */
  readonly salt: Uint8Array
}

/** Encrypts the numbered parts of one response. No number is used twice. */
export type ResponseCipher = {
  readonly encrypt: (number: number, bytes: Uint8Array) => Uint8Array
  /** Undefined for bytes that were not encrypted by this cipher under this number. */
  readonly decrypt: (number: number, bytes: Uint8Array) => Uint8Array<ArrayBuffer> | undefined
}

const algorithm = 'aes-256-gcm'
const tagLength = 16

/** The hash of an Idempotency-Key, which is what the database keeps. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/**
 * AES-256-GCM with a key from HKDF (RFC 5869) over the secret of the service and the
 * Idempotency-Key. The salt makes it a key for one response, so the number of a part can be its
 * nonce.
 */
export function createResponseCipher({
  secret,
  key,
  account,
  operation,
  salt,
}: CipherOptions): ResponseCipher {
  const material = createHmac('sha256', secret).update(`response ${key}`).digest()
  const own = Buffer.from(
    hkdfSync('sha256', material, salt, JSON.stringify([account, operation]), 32),
  )
  return {
    encrypt: (number, bytes) => {
      const cipher = createCipheriv(algorithm, own, toNonce(number), { authTagLength: tagLength })
      return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    },
    decrypt: (number, bytes) => {
      const decipher = createDecipheriv(algorithm, own, toNonce(number), {
        authTagLength: tagLength,
      })
      try {
        decipher.setAuthTag(bytes.subarray(-tagLength))
        return Buffer.concat([decipher.update(bytes.subarray(0, -tagLength)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

function toNonce(number: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 8)
  return nonce
}

/**
 * A hash that tells two inputs under one Idempotency-Key apart. Files are hashed too, so nothing of
 * them is kept.
 */
export function fingerprintInput(input: Readonly<Record<string, unknown>>): string {
  const hash = createHash('sha256')
  for (const [name, value] of Object.entries(input).sort(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const bytes = value instanceof Uint8Array ? value : JSON.stringify(value)
    hash.update(JSON.stringify([name, bytes.length]))
    hash.update(bytes)
  }
  return hash.digest('hex')
}
