import { randomBytes } from 'node:crypto'
import { createSiwxHeader } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { paymentHeader } from './payment-header.js'
import { publicOrigin } from './service-process.js'

/** The sender of requests. */
export type Caller = {
  /** The name of the account in the ledger. */
  readonly account: string
  readonly headers: () => Promise<Readonly<Record<string, string>>>
}

export type WalletCaller = Caller & {
  readonly address: string
  /** A header that pays `usd`, with a nonce of its own. */
  readonly pay: (usd: number) => Promise<string>
}

/** The account of the administrator, to which all API keys belong. */
export const keyAccount = 'key:admin'

export function createWallet(): WalletCaller {
  const privateKey = generatePrivateKey() as `0x${string}`
  const signer = privateKeySigner(privateKey)
  const from = addressOfItsOwn()
  return {
    account: signer.address,
    address: signer.address,
    headers: async () => ({
      ...from,
      'sign-in-with-x': await createSiwxHeader(signer, {
        domain: new URL(publicOrigin).host,
        uri: publicOrigin,
        statement: 'Sign in to Farebox API',
      }),
    }),
    pay: (usd) => paymentHeader(privateKey, usd),
  }
}

export function createKeyCaller(secret: string): Caller {
  const from = addressOfItsOwn()
  return {
    account: keyAccount,
    headers: async () => ({ ...from, authorization: `Bearer ${secret}` }),
  }
}

/** Each caller comes through the proxy from elsewhere: limits of an address are not the subject. */
function addressOfItsOwn(): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` }
}
