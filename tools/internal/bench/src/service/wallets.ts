import { createSiwxHeader } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import type { Sent } from './load.js'

export type Wallets = {
  /** Signs requests at a time, each with a nonce of its own. The wallets take turns. */
  readonly signed: (
    pathOf: (address: string) => string,
    count: number,
    time: number,
  ) => Promise<readonly Sent[]>
}

/** As serve.ts has it. */
const service = {
  domain: '127.0.0.1',
  uri: 'http://127.0.0.1',
  statement: 'Sign in to Farebox API',
}

/** Wallets without credit and entries. */
export function createWallets(count: number): Wallets {
  const signers = Array.from({ length: count }, () => privateKeySigner(generatePrivateKey()))
  return {
    signed: async (pathOf, requests, time) => {
      const sent: Sent[] = []
      while (sent.length < requests) {
        for (const signer of signers.slice(0, requests - sent.length)) {
          const header = await createSiwxHeader(signer, { ...service, now: () => time })
          sent.push({ path: pathOf(signer.address), headers: { 'sign-in-with-x': header } })
        }
      }
      return sent
    },
  }
}
