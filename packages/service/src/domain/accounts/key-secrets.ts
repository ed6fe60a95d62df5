import { createHmac, randomBytes } from 'node:crypto'

export type KeySecretOptions = {
  /** Secret of the hashes. A new one invalidates every key. */
  readonly pepper: string
  readonly random?: (bytes: number) => Buffer
}

/** Secrets of API keys. A secret is random, shown once, and kept only as a keyed hash. */
export type KeySecrets = {
  readonly make: () => string
  readonly hashOf: (secret: string) => string
}

export function createKeySecrets({ pepper, random = randomBytes }: KeySecretOptions): KeySecrets {
  return {
    make: () => `fbx_${random(32).toString('base64url')}`,
    hashOf: (secret) => createHmac('sha256', pepper).update(`hash ${secret}`).digest('base64url'),
  }
}
