import { memoryPaymentStore, pay } from '@farebox/auth'
import { solanaPaymentSigner } from '@farebox/auth/solana'
import type { Harness } from './harness.js'

/** A wallet on Solana with a secret of its own. */
export const createSolanaWallet = () =>
  solanaPaymentSigner(crypto.getRandomValues(new Uint8Array(32)))
export type SolanaTestWallet = ReturnType<typeof createSolanaWallet>

/**
 * The PAYMENT-SIGNATURE that our client signs for the current offers of the service. It is not
 * sent.
 */
export async function signSolanaPayment(
  farebox: Harness,
  wallet: SolanaTestWallet,
  { usd = 5, change = {} }: Changes = {},
): Promise<string> {
  let header = ''
  const origin = 'http://127.0.0.1:4020'
  const caps = { maxUsdPerPayment: 20_000, maxUsdPerDay: 20_000 }
  const payment = pay(wallet, {
    origin,
    amountUsd: usd,
    ...caps,
    store: memoryPaymentStore(),
    now: () => farebox.clock.time,
  })
  const send = payment(async ({ url, method, headers }) => {
    const signed = headers.get('payment-signature')
    if (signed === null)
      return changeOffers(
        await farebox.service.fetch(new Request(url, { method, headers }), {
          remoteAddress: '192.0.2.77',
        }),
        change,
      )
    header = signed
    return new Response(null, { status: 200 })
  })
  await send({ url: `${origin}/api/v1/x402/top-up`, method: 'POST', headers: new Headers() })
  return header
}

type Changes = { readonly usd?: number; readonly change?: Readonly<Record<string, unknown>> }

/** The offers with a change, as an attacker in between could make it. */
async function changeOffers(
  response: Response,
  change: Readonly<Record<string, unknown>>,
): Promise<Response> {
  const document = JSON.parse(
    Buffer.from(response.headers.get('payment-required') ?? '', 'base64').toString('utf8'),
  ) as Offers
  const { extra = {}, ...others } = change
  const accepts = document.accepts.map((offer) => ({
    ...offer,
    ...others,
    extra: { ...offer.extra, ...(extra as object) },
  }))
  const value = Buffer.from(JSON.stringify({ ...document, accepts })).toString('base64')
  return new Response(null, { status: response.status, headers: { 'payment-required': value } })
}

type Offers = { readonly accepts: readonly { readonly extra?: object }[] }

export const decode = (header: string) =>
  JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as PaymentPayload
export const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64')
export type PaymentPayload = {
  readonly x402Version: number
  readonly accepted: Record<string, unknown>
  readonly payload: { readonly transaction: string }
}
