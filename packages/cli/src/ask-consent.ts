import { createInterface } from 'node:readline/promises'
import type { ConsentQuestion } from 'farebox'
import { plain, type Terminal } from './terminal.js'

/**
 * Shows the policy and gets the attestation of the responsible person. `given` is the attestation
 * from the command line; without it a person must type yes. Without a terminal the result is no.
 */
export async function askConsent(
  terminal: Pick<Terminal, 'in' | 'err'>,
  question: ConsentQuestion,
  given: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const roles = question.roles.length === 0 ? '' : ` (${question.roles.join(', ')})`
  terminal.err.write(`${plain(`${question.message}${roles}\n\n${question.policyText}`)}\n\n`)
  if (given) {
    terminal.err.write('Attested by --consent.\n')
    return true
  }
  if (terminal.in.isTTY !== true || terminal.err.isTTY !== true) return false
  const lines = createInterface({ input: terminal.in, output: terminal.err })
  try {
    const answer = await lines.question('You attest all of this by typing yes: ', { signal })
    return answer.trim().toLowerCase() === 'yes'
  } finally {
    lines.close()
  }
}
