import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createSiwxHeader, memoryPaymentStore, pay, solanaMessage } from '@farebox/auth'
import {
  decodePaymentHeader,
  verifyPaymentAuthorization,
  verifySiwxHeader,
} from '@farebox/auth/verify'
import { createKeyPairSignerFromPrivateKeyBytes, createSignableMessage } from '@solana/kit'
import { SiweMessage } from 'siwe'
import { verifyMessage, verifyTypedData } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import type { Parties } from '../rounds.js'
import {
  account,
  ethers,
  fields,
  header,
  offer,
  seed,
  service,
  signer,
  siweFields,
  solana,
  statement,
  typed,
} from './fixtures.js'

type X402 = {
  readonly ExactEvmScheme: new (account: PrivateKeyAccount) => {
    readonly createPaymentPayload: (version: number, offer: unknown) => Promise<unknown>
  }
}
type Hex = `0x${string}`
type Contest = Parties<string>
/** Of the payload that our own middleware signs. */
type Authorization = Readonly<
  Record<'from' | 'to' | 'nonce', Hex> & Record<'value' | 'validAfter' | 'validBefore', string>
>

/**
 * The contests by name. The entry `ours` of each is this repository's, and every other entry does
 * the same work as far as its package can.
 *
 * @param x402 the folder of @x402/evm
 */
export async function contestsWith(x402: string): Promise<Readonly<Record<string, Contest>>> {
  return { ...(await signInsOnEvm()), ...(await signInsOnSolana()), ...(await payments(x402)) }
}

async function signInsOnEvm(): Promise<Readonly<Record<string, Contest>>> {
  const signed = await createSiwxHeader(signer, { ...service, statement })
  const { message, signature } = JSON.parse(atob(signed)) as {
    readonly message: string
    readonly signature: Hex
  }
  return {
    'sign in, EVM': {
      ours: () => createSiwxHeader(signer, { ...service, statement }),
      viem: async () => {
        const text = createSiweMessage(fields())
        return header({ message: text, signature: await account.signMessage({ message: text }) })
      },
      'siwe and ethers': async () => {
        const text = new SiweMessage(siweFields()).prepareMessage()
        return header({ message: text, signature: await ethers.signMessage(text) })
      },
    },
    'verify a sign-in, EVM': {
      ours: () => verifySiwxHeader(signed, service),
      viem: async () =>
        parseSiweMessage(message).domain === service.domain &&
        verifyMessage({ address: account.address, message, signature }),
      'siwe and ethers': () =>
        new SiweMessage(message).verify({ signature, domain: service.domain }),
    },
  }
}

async function signInsOnSolana(): Promise<Readonly<Record<string, Contest>>> {
  const kit = await createKeyPairSignerFromPrivateKeyBytes(seed)
  const signed = await createSiwxHeader(solana, { ...service, statement })
  return {
    'sign in, Solana': {
      ours: () => createSiwxHeader(solana, { ...service, statement }),
      '@solana/kit (native)': () =>
        kit.signMessages([
          createSignableMessage(solanaMessage({ ...siweFields(), address: solana.address })),
        ]),
    },
    'verify a sign-in, Solana': { ours: () => verifySiwxHeader(signed, service) },
  }
}

async function payments(x402: string): Promise<Readonly<Record<string, Contest>>> {
  const file = createRequire(join(x402, 'package.json')).resolve('@x402/evm/exact/client')
  const { ExactEvmScheme } = (await import(pathToFileURL(file).href)) as X402
  const payer = new ExactEvmScheme(account)

  /** One payment through the middleware with its discovery, without a network. */
  const payOnce = async (): Promise<string> => {
    let sent = ''
    const store = memoryPaymentStore()
    const paid = pay(signer, {
      origin: service.uri,
      maxUsdPerPayment: Infinity,
      maxUsdPerDay: Infinity,
      store,
    })
    const send = paid(async ({ headers }) => {
      sent = headers.get('payment-signature') ?? ''
      return sent === ''
        ? new Response(null, {
            status: 402,
            headers: { 'payment-required': header({ x402Version: 2, accepts: [offer] }) },
          })
        : new Response()
    })
    await send({ url: `${service.uri}/x402/top-up`, method: 'POST', headers: new Headers() })
    return sent
  }

  const payload = decodePaymentHeader(await payOnce())
  const { authorization, signature } = payload.payload as {
    readonly authorization: Authorization
    readonly signature: Hex
  }
  const message = {
    ...authorization,
    value: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
  }
  return {
    'sign a payment, EVM': {
      ours: payOnce,
      '@x402/evm': () => payer.createPaymentPayload(2, offer),
    },
    'verify a payment, EVM': {
      ours: () => verifyPaymentAuthorization(payload, offer),
      'viem, the signature alone': () =>
        verifyTypedData({ ...typed, address: account.address, message, signature }),
    },
  }
}
