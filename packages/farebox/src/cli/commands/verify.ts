import { generatePrivateKey, privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
import type { PaymentSigner, WalletSigner } from '@farebox/auth'
import type { Context, Run } from '../command.js'
import { baseUrlOf } from '../connect.js'
import { Refusal, UsageError } from '../errors.js'
import { createProgress } from '../progress.js'
import { readSettings, type Settings } from '../settings.js'
import { signerOf } from '../signer.js'
import { paint, plain, printJson, printLine } from '../terminal.js'
import { Skipped, type Budget, type Payer, type Subject } from '../verify/check.js'
import { createProbe } from '../verify/probe.js'
import { checks, verify as run, type Result } from '../verify/verify.js'

/** Holds any service of this interface against the contract, and reports each check. */
export const verify: Run = async (context) => {
  const { arguments: given, terminal, signal } = context
  const settings = await readSettings(context.environment, given.text('config'))
  const subject = subjectOf(context, settings)
  await requireService(subject.baseUrl, signal)
  const progress = createProgress(terminal)
  const results: Result[] = []
  try {
    progress.tell('verifying', `${subject.baseUrl}: ${checks[0]?.title ?? ''}`)
    for await (const result of run(subject, signal)) {
      progress.done()
      results.push(result)
      if (!given.has('json')) await printLine(terminal, lineOf(result, terminal))
      progress.tell('verifying', checks[results.length]?.title)
    }
  } finally {
    progress.done()
  }
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length
  const summary = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  if (given.has('json')) await printJson(terminal, { baseUrl: subject.baseUrl, ...summary, checks: results })
  else await printLine(terminal, `\n${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped: ${subject.baseUrl}`)
  return summary.failed === 0 ? 0 : 1
}

function subjectOf({ arguments: given, signal }: Context, settings: Settings): Subject {
  const baseUrl = baseUrlOf(given.text('base-url') ?? settings.baseUrl)
  const serviceName = settings.serviceName ?? 'Farebox'
  const topUpUsd = given.number('top-up', 5)
  const stranger = privateKeySigner(generatePrivateKey())
  const payer = payerOf(settings, given.text('as'), topUpUsd, given.number('spend', 0))
  return {
    baseUrl,
    serviceName,
    stranger,
    solanaStranger: solanaKeySigner(crypto.getRandomValues(new Uint8Array(32))),
    probe: createProbe({ baseUrl, serviceName, signal }),
    payer,
    budget: budgetOf(given.number('spend', 0) ?? topUpUsd ?? 0),
    ...(settings.apiKey !== undefined && { apiKey: settings.apiKey }),
    ...(topUpUsd !== undefined && { topUpUsd }),
  }
}

/** Nothing costs anything unless --spend or --top-up is given. A top-up without a wallet is that of a new one, which a local service takes. */
function payerOf(
  { apiKey, privateKey }: Settings,
  as: string | undefined,
  topUpUsd: number | undefined,
  spend: number | undefined,
): Payer | undefined {
  if (topUpUsd === undefined && spend === undefined) return undefined
  if (topUpUsd === undefined && apiKey !== undefined && (privateKey === undefined || as === 'key')) {
    return { credential: { kind: 'key', key: apiKey } }
  }
  if (topUpUsd === undefined && privateKey === undefined) {
    throw new UsageError('--spend needs somebody who pays. Set FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY, or give --top-up 5 as well.')
  }
  const signer = privateKey === undefined ? privateKeySigner(generatePrivateKey()) : signerOf(privateKey)
  if (!canPay(signer)) throw new UsageError('--spend and --top-up need an EVM wallet; the private key that is set is for Solana.')
  return { credential: { kind: 'wallet', signer }, wallet: signer }
}

function canPay(signer: WalletSigner): signer is WalletSigner & PaymentSigner {
  return 'signTypedData' in signer
}

function budgetOf(usd: number): Budget {
  let left = usd
  return {
    take: (price) => {
      if (price > left + 1e-9) throw new Skipped(`it costs ${price} USD, and ${Math.max(0, left).toFixed(6)} of --spend are left`)
      left -= price
    },
  }
}

async function requireService(baseUrl: string, signal: AbortSignal): Promise<void> {
  try {
    const answer = await fetch(`${baseUrl}/models`, { signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]), redirect: 'manual' })
    await answer.body?.cancel()
  } catch (error) {
    if (signal.aborted) throw error
    throw new Refusal('not_sent', `Nothing answers at ${baseUrl}. Check --base-url, and that the service is running.`)
  }
}

function lineOf({ status, id, title, expected, found, reason, rule }: Result, terminal: Context['terminal']): string {
  const marks = {
    passed: paint(terminal, 'green', 'ok     '),
    failed: paint(terminal, 'red', 'FAILED '),
    skipped: paint(terminal, 'dim', 'skipped'),
  }
  const more =
    status === 'failed'
      ? `\n          expected ${expected}\n          found    ${found}\n          see      ${rule}`
      : reason === undefined
        ? ''
        : `: ${reason}`
  return plainBut(marks[status], `${id}  ${title}${more}`)
}

/** What the service said must not steer the terminal; the mark before it may colour. */
function plainBut(mark: string, text: string): string {
  return `${mark}  ${plain(text)}`
}
