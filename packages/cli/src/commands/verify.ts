import type { PaymentSigner, WalletSigner } from '@farebox/auth'
import {
  checks,
  type Need,
  type Result,
  verify as run,
  type VerifyOptions,
} from '@farebox/conformance'
import { verifyX402Client, verifyX402Service } from '@farebox/conformance/x402'
import { openStore, readService } from '../calls/connect.js'
import { type Context, type CommandHandler, CommandError, UsageError } from '../command.js'
import { printJson, createProgress, paint, stripControls, printLine } from '../io/terminal.js'
import { readSettings, type Settings } from '../settings/settings.js'
import { createSigner } from '../settings/signer.js'

/** Checks a service of this interface against the contract, and reports each check. */
export const verify: CommandHandler = async (context) => {
  const { arguments: args, signal } = context
  const settings = await readSettings(context.environment, args.text('config'))
  const options = await readOptions(context, settings)
  const { baseUrl } = options
  await requireService(baseUrl, signal)
  return reportChecks(context, run(options), {
    subject: { baseUrl },
    titles: checks.map(({ title }) => title),
    improve: withAdvice,
  })
}

async function readOptions(
  { arguments: args, environment, signal }: Context,
  settings: Settings,
): Promise<VerifyOptions> {
  const [spendUsd, topUpUsd] = [args.number('spend', 0), args.number('top-up', 5)]
  const payInline = args.has('pay-inline')
  const wallet = chooseWallet(
    settings,
    args.text('as'),
    payInline ? (topUpUsd ?? 0) : topUpUsd,
    spendUsd,
  )
  return {
    ...readService({ arguments: args }, settings),
    signal,
    ...(settings.serviceName !== undefined && { serviceName: settings.serviceName }),
    ...(settings.apiKey !== undefined && { apiKey: settings.apiKey }),
    ...(wallet !== undefined && { wallet, store: await openStore(environment) }),
    ...(spendUsd !== undefined && { spendUsd }),
    ...(topUpUsd !== undefined && { topUpUsd }),
    payInline,
  }
}

/**
 * The user's wallet, if it pays. The checks are free without --spend and --top-up.
 */
function chooseWallet(
  { apiKey, privateKey }: Settings,
  as: string | undefined,
  topUpUsd: number | undefined,
  spendUsd: number | undefined,
): (WalletSigner & PaymentSigner) | undefined {
  if (topUpUsd === undefined && spendUsd === undefined) return undefined
  if (topUpUsd === undefined && apiKey !== undefined && (privateKey === undefined || as === 'key'))
    return undefined
  if (topUpUsd === undefined && privateKey === undefined) {
    throw new UsageError(
      '--spend needs a payer. Set FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY, or add --top-up 5.',
    )
  }
  const signer = privateKey === undefined ? undefined : createSigner(privateKey)
  if (signer !== undefined && !canPay(signer)) {
    throw new UsageError(
      '--spend and --top-up need an EVM wallet; the configured private key is for Solana.',
    )
  }
  return signer
}

function canPay(signer: WalletSigner): signer is WalletSigner & PaymentSigner {
  return 'signTypedData' in signer
}

/** The option of this command that lets a skipped check run. */
const advice: { readonly [Option in Need]: string } = {
  apiKey: 'set FAREBOX_API_KEY',
  wallet: 'set FAREBOX_PRIVATE_KEY, or use --top-up 5',
  spendUsd: 'use --spend 0.10 with an API key or a wallet, or --top-up 5',
  topUpUsd: 'use --top-up 5 to run it',
  payInline: 'use --pay-inline to run it',
}

function withAdvice({ needs, ...result }: Result): Result {
  return needs === undefined ? result : { ...result, reason: `${result.reason}; ${advice[needs]}` }
}

async function requireService(baseUrl: string, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      redirect: 'manual',
    })
    await response.body?.cancel()
  } catch (error) {
    if (signal.aborted) throw error
    throw new CommandError(
      'not_sent',
      `Nothing responds at ${baseUrl}. Check --base-url, and that the service is running.`,
    )
  }
}

/** Checks a paid endpoint, or with --client a client, against x402. */
export const verifyX402: CommandHandler = async (context) => {
  const { arguments: args, signal } = context
  const command = args.operands
  if (args.has('client')) {
    const clientChecks = verifyX402Client({ command, signal })
    return reportChecks(context, clientChecks, { subject: { command: command.join(' ') } })
  }
  const [url = '', ...more] = command
  if (more.length > 0) throw new UsageError('verify-x402 takes one URL, or --client -- COMMAND.')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(
      `The URL is ${JSON.stringify(url)}; expected one such as https://api.example.com/paid.`,
    )
  const body = args.text('body')
  const method = args.text('method')?.toUpperCase() ?? (body === undefined ? undefined : 'POST')
  const serviceChecks = verifyX402Service({ url, method, body, signal })
  try {
    return await reportChecks(context, serviceChecks, { subject: { url } })
  } catch (error) {
    if (signal.aborted || !(error instanceof TypeError)) throw error
    throw new CommandError('not_sent', `Nothing responds at ${url} (${error.message}).`)
  }
}

type ChecksReport = {
  /** What is checked, as fields of the JSON and as the end of the summary. */
  readonly subject: Readonly<Record<string, string>>
  /** The titles of the checks, in their order, for the progress. */
  readonly titles?: readonly string[]
  readonly improve?: (result: Result) => Result
}

/** Prints the result of each check, and a summary. Resolves to the exit code. */
async function reportChecks(
  { arguments: args, terminal }: Context,
  resultStream: AsyncIterable<Result>,
  { subject, titles = [], improve = (result) => result }: ChecksReport,
): Promise<number> {
  const progress = createProgress(terminal)
  const results: Result[] = []
  const name = Object.values(subject).join(' ')
  try {
    progress.report('verifying', titles[0] === undefined ? name : `${name}: ${titles[0]}`)
    for await (const rawResult of resultStream) {
      const result = improve(rawResult)
      progress.done()
      results.push(result)
      if (!args.has('json')) await printLine(terminal, formatResult(result, terminal))
      progress.report('verifying', titles[results.length])
    }
  } finally {
    progress.done()
  }
  const count = (status: Result['status']) =>
    results.filter((result) => result.status === status).length
  const summary = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  if (args.has('json')) await printJson(terminal, { ...subject, ...summary, checks: results })
  else
    await printLine(
      terminal,
      `\n${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped: ${stripControls(name)}`,
    )
  return summary.failed === 0 ? 0 : 1
}

function formatResult(
  { status, id, title, expected, found, reason, rule }: Result,
  terminal: Context['terminal'],
): string {
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
  // a mark may have a colour; the text of a service may have control characters
  return `${marks[status]}  ${stripControls(`${id}  ${title}${more}`)}`
}
