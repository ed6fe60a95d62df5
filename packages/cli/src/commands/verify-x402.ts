import { verifyX402Client, verifyX402Service } from '@farebox/conformance/x402'
import type { Run } from '../command.js'
import { Refusal, UsageError } from '../errors.js'
import { reportChecks } from '../report-checks.js'

/** Checks a paid endpoint, or with --client a client, against x402. */
export const verifyX402: Run = async (context) => {
  const { arguments: given, signal } = context
  const command = given.operands
  if (given.has('client')) {
    const clientChecks = verifyX402Client({ command, signal })
    return reportChecks(context, clientChecks, { subject: { command: command.join(' ') } })
  }
  const [url = '', ...more] = command
  if (more.length > 0) throw new UsageError('verify-x402 takes one URL, or --client -- COMMAND.')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(
      `The URL is ${JSON.stringify(url)}; expected one such as https://api.example.com/paid.`,
    )
  const body = given.text('body')
  const method = given.text('method')?.toUpperCase() ?? (body === undefined ? undefined : 'POST')
  const serviceChecks = verifyX402Service({ url, method, body, signal })
  try {
    return await reportChecks(context, serviceChecks, { subject: { url } })
  } catch (error) {
    if (signal.aborted || !(error instanceof TypeError)) throw error
    throw new Refusal('not_sent', `Nothing answers at ${url} (${error.message}).`)
  }
}
