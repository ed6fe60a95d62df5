import { runChecks, type Result } from './check.js'
import { access } from './checks/access.js'
import { catalogue } from './checks/catalogue.js'
import { inference } from './checks/inference.js'
import { inlinePayment, paying } from './checks/payment.js'
import { keys } from './checks/keys.js'
import { work } from './checks/work.js'
import { createSubject, type Check, type SubjectOptions } from './subject.js'

/** In the order in which they run: the top-up comes before the checks that it pays for. */
export const checks: readonly Check[] = [
  ...catalogue,
  ...access,
  ...paying,
  ...inlinePayment,
  ...keys,
  ...work,
  ...inference,
]

export type VerifyOptions = SubjectOptions & {
  /** Ends the run with the signal's reason. */
  readonly signal?: AbortSignal
  /** The checks to run, in this order. Default: all of `checks`. */
  readonly checks?: readonly Check[]
}

/**
 * Runs the checks one after the other and yields the result of each. It is free unless `spendUsd`,
 * `topUpUsd` or `payInline` is set: the wallets are generated for this run. It stays below the rate
 * limits and the abuse limit of the service, so it may wait for up to a minute. Throws `TypeError`
 * for invalid options.
 */
export async function* verify(options: VerifyOptions): AsyncGenerator<Result, void, undefined> {
  const { signal = new AbortController().signal, checks: chosenChecks = checks } = options
  yield* runChecks(chosenChecks, createSubject(options, signal), signal)
}
