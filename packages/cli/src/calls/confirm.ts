import type { OperationId } from '@farebox/types/operations'
import type { ConsentQuestion } from 'farebox'
import { createInterface } from 'node:readline/promises'
import { type Context, CommandError, UsageError } from '../command.js'
import { stripControls, type Terminal } from '../io/terminal.js'
import { estimatePrice, type PriceAsker } from './estimate-price.js'
import { readSettings } from '../settings/settings.js'

/** The price in USD up to which nothing is asked, unless the settings say otherwise. */
const defaultLimitUsd = 1

export type Price = {
  readonly usd: number
  /** What has the price: "This video", "Parsing 12 files". */
  readonly what: string
  /** A script that states the amount itself needs no --yes. A person is still asked. */
  readonly isStated?: boolean
}

/**
 * Asks a person before a price above the limit of the settings (`confirmAboveUsd`). `--yes` answers
 * it. Throws `CommandError` for a no, and without a terminal. Nothing was sent then.
 */
export async function confirmPrice(
  context: Context,
  { usd, what, isStated = false }: Price,
): Promise<void> {
  const { terminal, arguments: args, signal } = context
  const limit = await readLimitUsd(context)
  if (usd <= limit || args.has('yes')) return
  if (terminal.in.isTTY !== true || terminal.err.isTTY !== true) {
    if (isStated) return
    throw new CommandError(
      'not_confirmed',
      `${what} costs ${usd} USD. Above ${limit} USD farebox asks first, and there is no terminal to ask on. ` +
        'Pass --yes, or raise confirmAboveUsd in the configuration. Nothing was sent.',
    )
  }
  const lines = createInterface({ input: terminal.in, output: terminal.err })
  try {
    const response = await lines.question(
      stripControls(`${what} costs ${usd} USD. Continue? [y/N] `),
      {
        signal,
      },
    )
    if (!/^y(?:es)?$/i.test(response.trim()))
      throw new CommandError('declined', 'Nothing was sent.')
  } finally {
    lines.close()
  }
}

/** The same for the highest price of a call, by the prices of its model. */
export async function confirmEstimate(
  context: Context,
  operation: OperationId,
  {
    what,
    input,
    farebox,
  }: {
    readonly what: string
    readonly input: Readonly<Record<string, unknown>>
    readonly farebox: PriceAsker
  },
): Promise<void> {
  if (context.arguments.has('yes')) return
  const usd = await estimatePrice(operation, input, farebox, context.signal)
  // the service does not hold more than the credit, whatever its price is
  if (!Number.isNaN(usd)) await confirmPrice(context, { what, usd: Number(usd.toFixed(6)) })
}

/** `confirmAboveUsd` of the settings, else 1 USD. */
export async function readLimitUsd({
  environment,
  arguments: args,
}: Pick<Context, 'environment' | 'arguments'>): Promise<number> {
  const { confirmAboveUsd } = await readSettings(environment, args.text('config'))
  if (confirmAboveUsd === undefined) return defaultLimitUsd
  if (!/^\d+(?:\.\d+)?$/.test(confirmAboveUsd))
    throw new UsageError(
      `confirmAboveUsd is ${JSON.stringify(confirmAboveUsd)}; expected USD such as 0.50.`,
    )
  return Number(confirmAboveUsd)
}

/**
 * Shows the policy and gets the attestation of the responsible person. `isAttested`: the command
 * line has it; otherwise a person must type yes. Without a terminal the result is no.
 */
export async function askConsent(
  terminal: Pick<Terminal, 'in' | 'err'>,
  question: ConsentQuestion,
  isAttested: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const roles = question.roles.length === 0 ? '' : ` (${question.roles.join(', ')})`
  terminal.err.write(
    `${stripControls(`${question.message}${roles}\n\n${question.policyText}`)}\n\n`,
  )
  if (isAttested) {
    terminal.err.write('Attested by --consent.\n')
    return true
  }
  if (terminal.in.isTTY !== true || terminal.err.isTTY !== true) return false
  const lines = createInterface({ input: terminal.in, output: terminal.err })
  try {
    const response = await lines.question('Type yes to attest all of this: ', { signal })
    return response.trim().toLowerCase() === 'yes'
  } finally {
    lines.close()
  }
}
