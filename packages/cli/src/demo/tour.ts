import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryPaymentStore, type PaymentSigner, type WalletSigner } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createClient } from '@farebox/client'
import type { Narrator } from '@farebox/command-line/narration'
import { createFarebox, type Farebox } from 'farebox'
import type { LocalService } from './local-service.js'

export type DemoWallet = {
  readonly privateKey: string
  readonly signer: WalletSigner & PaymentSigner
}

/** Totals of the demo, in pretend USD. */
export type Totals = {
  readonly paidUsd: number
  readonly spentUsd: number
  readonly leftUsd: number
}

const question = 'Which wallet paid for this response?'
const words =
  'A wallet paid for this sentence. It has no account and no password, and it signed every request by itself.'

export function createDemoWallet(): DemoWallet {
  const privateKey = generatePrivateKey()
  return { privateKey, signer: privateKeySigner(privateKey) }
}

/** The SDK of the demo's wallet. It records payments nowhere, as the wallet ends with the demo. */
export function createDemoFarebox(
  { signer }: DemoWallet,
  origin: string,
  fetch?: typeof globalThis.fetch,
): Farebox {
  return createFarebox({
    baseUrl: `${origin}/api/v1`,
    wallet: signer,
    payments: { store: memoryPaymentStore() },
    ...(fetch && { fetch }),
  })
}

/** Shows the whole flow once: the 402, the payment, two calls and their charges. */
export async function runTour(
  { step }: Narrator,
  service: LocalService,
  wallet: DemoWallet,
  signal: AbortSignal,
): Promise<Totals> {
  const farebox = createDemoFarebox(wallet, service.origin)
  await step(
    'Ask what a top-up costs',
    () => createClient({ baseUrl: `${service.origin}/api/v1` }).topUp({}, { signal }),
    (response) =>
      [
        `${response.status} Payment Required`,
        ...(response.status === 402 ? response.error.accepts : []).map(formatOffer),
      ].join('\n'),
  )
  const { amountCredited: paidUsd } = await step(
    'Sign a payment of 5 USD and send it',
    () => farebox.topUp(5, { signal }),
    ({ amountCredited, newBalance, paymentId }) =>
      `credited ${formatUsd(amountCredited)}, balance ${formatUsd(newBalance)}, payment ${paymentId}`,
  )
  await step(
    'Chat, as the response comes',
    () => chat(farebox, signal),
    ({ answer: response, tokens }) =>
      `"${response}"\n${tokens} tokens, charged when the stream ended`,
  )
  await step(
    'Create speech',
    () => speak(farebox, join(service.folder, 'demo.mp3'), signal),
    ({ path, bytes }) => `"${words}"\n${bytes} bytes of MP3 in ${path}`,
  )
  const { leftUsd, entries } = await step(
    'Read the balance and the ledger',
    () => readAccount(farebox, wallet.signer.address, signal),
    ({ entries: all }) =>
      all
        .map(
          ({ type, amount, balanceAfter }) =>
            `${type.padEnd(8)} ${formatUsd(amount)}, balance ${formatUsd(balanceAfter)}`,
        )
        .join('\n'),
  )
  const spentUsd = entries.reduce((sum, { amount }) => sum - Math.min(0, amount), 0)
  // a sum of fractions is rarely exact
  return { paidUsd, spentUsd: Math.round(spentUsd * 1e6) / 1e6, leftUsd }
}

/** The balance, and every entry of the ledger, newest first. */
export async function readAccount(farebox: Farebox, address: string, signal?: AbortSignal) {
  const options = signal === undefined ? {} : { signal }
  const { balanceUsd: leftUsd } = await farebox.balance(options)
  const entries = []
  for await (const entry of farebox.transactions(address, options)) entries.push(entry)
  return { leftUsd, entries }
}

/** `0.000364 USD`: whole cents at least, and no digit of the price lost. */
export function formatUsd(amount: number): string {
  return `${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6, useGrouping: false })} USD`
}

async function chat(farebox: Farebox, signal: AbortSignal) {
  const [model] = await farebox.listModels({ type: 'text' }, { signal })
  if (model === undefined) throw new Error('The service has no text model.')
  const chunks = await farebox.createChatCompletion(
    {
      model: model.id,
      messages: [{ role: 'user', content: question }],
      stream: true,
      stream_options: { include_usage: true },
    },
    { signal },
  )
  let response = ''
  let tokens = 0
  for await (const { choices, usage } of chunks) {
    response += choices[0]?.delta.content ?? ''
    tokens = usage?.total_tokens ?? tokens
  }
  return { answer: response, tokens }
}

async function speak(farebox: Farebox, path: string, signal: AbortSignal) {
  const response = await farebox.createSpeech({ input: words }, { signal })
  const bytes = new Uint8Array(await response.arrayBuffer())
  await writeFile(path, bytes)
  return { path, bytes: bytes.byteLength }
}

function formatOffer({
  amount,
  network,
  payTo,
}: {
  readonly amount: string
  readonly network: string
  readonly payTo: string
}): string {
  return `${Number(amount) / 1e6} USDC on ${network} to ${payTo}`
}
