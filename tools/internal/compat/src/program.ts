// What every runtime runs. It imports no module of a platform.
import { memoryPaymentStore, pay, signIn } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { retry } from '@farebox/retry'
import { caseNames, cases, walletKey, responseText, type CaseName } from './cases.js'
import { clients, type Client } from './clients.js'

/** The outcome of a case. `native`: the client fails with the fetch of the platform as well. */
export type Outcome =
  | { readonly kind: 'works'; readonly why?: undefined }
  | { readonly kind: 'fails' | 'native'; readonly why: string }

export type Outcomes = Readonly<Record<string, Readonly<Record<CaseName, Outcome>>>>

/** Runs every case with every client, one after the other. */
export async function run(origin: string, runtime: string): Promise<Outcomes> {
  const outcomes: Record<string, Record<string, Outcome>> = {}
  for (const [name, client] of Object.entries(clients)) {
    const row: Record<string, Outcome> = (outcomes[name] = {})
    for (const one of caseNames)
      row[one] = await runCase(
        client,
        one,
        origin,
        [origin, ...[runtime, name].map(encodeURIComponent)].join('/'),
      )
  }
  return outcomes as Outcomes
}

async function runCase(
  client: Client,
  name: CaseName,
  origin: string,
  address: string,
): Promise<Outcome> {
  const { body } = cases[name]
  const wrong = await findFailure(
    client[body](createOurFetch(origin, client), `${address}/${name}`),
  )
  if (wrong === undefined) return { kind: 'works' }
  // the client again, with the fetch of the platform and without a sign-in
  const native = await findFailure(
    client[body]((input, init) => fetch(input, init), `${address}/plain-${body}`),
  )
  return native === undefined ? { kind: 'fails', why: wrong } : { kind: 'native', why: native }
}

async function findFailure(posted: Promise<string>): Promise<string | undefined> {
  try {
    const text = await posted
    return text === responseText ? undefined : `the response was read as ${JSON.stringify(text)}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function createOurFetch(origin: string, { pays }: Client): typeof fetch {
  const signer = privateKeySigner(walletKey)
  const caps = { maxUsdPerPayment: 1, maxUsdPerDay: 1, store: memoryPaymentStore() }
  const payment = pays ? [] : [pay(signer, { origin, ...caps, appliesTo: () => true })]
  return withMiddleware(
    (input, init) => fetch(input, init),
    retry({ backoff: () => 1 }),
    ...payment,
    signIn(signer, { origin }),
  )
}
