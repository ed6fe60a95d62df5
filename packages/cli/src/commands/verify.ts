import type { PaymentSigner, WalletSigner } from '@farebox/auth'
import {
  checks,
  verify as run,
  type Need,
  type Result,
  type VerifyOptions,
} from '@farebox/conformance'
import type { Context, Run } from '../command.js'
import { readService, openStore } from '../connect.js'
import { Refusal, UsageError } from '../errors.js'
import { reportChecks } from '../report-checks.js'
import { readSettings, type Settings } from '../settings.js'
import { createSigner } from '../signer.js'

/** Checks a service of this interface against the contract, and reports each check. */
export const verify: Run = async (context) => {
  const { arguments: given, signal } = context
  const settings = await readSettings(context.environment, given.text('config'))
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
  { arguments: given, environment, signal }: Context,
  settings: Settings,
): Promise<VerifyOptions> {
  const [spendUsd, topUpUsd] = [given.number('spend', 0), given.number('top-up', 5)]
  const payInline = given.has('pay-inline')
  const wallet = chooseWallet(
    settings,
    given.text('as'),
    payInline ? (topUpUsd ?? 0) : topUpUsd,
    spendUsd,
  )
  return {
    ...readService({ arguments: given }, settings),
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
      '--spend needs somebody who pays. Set FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY, or give --top-up 5 as well.',
    )
  }
  const signer = privateKey === undefined ? undefined : createSigner(privateKey)
  if (signer !== undefined && !canPay(signer)) {
    throw new UsageError(
      '--spend and --top-up need an EVM wallet; the private key that is set is for Solana.',
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
  wallet: 'set FAREBOX_PRIVATE_KEY, or give --top-up 5',
  spendUsd: 'give --spend 0.10 with an API key or a wallet, or --top-up 5',
  topUpUsd: 'give --top-up 5 to have it done',
  payInline: 'give --pay-inline to have it done',
}

function withAdvice({ needs, ...result }: Result): Result {
  return needs === undefined ? result : { ...result, reason: `${result.reason}; ${advice[needs]}` }
}

async function requireService(baseUrl: string, signal: AbortSignal): Promise<void> {
  try {
    const answer = await fetch(`${baseUrl}/models`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      redirect: 'manual',
    })
    await answer.body?.cancel()
  } catch (error) {
    if (signal.aborted) throw error
    throw new Refusal(
      'not_sent',
      `Nothing answers at ${baseUrl}. Check --base-url, and that the service is running.`,
    )
  }
}
