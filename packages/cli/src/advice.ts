import { operations, type Operation } from '@farebox/types/operations'
import type { FareboxError } from 'farebox'
import type { Caller } from './connect.js'

/** What the caller can do about a failure. A key is not told to top up a wallet. */
export function adviceOn(error: FareboxError, caller: Caller | undefined): string | undefined {
  const { status, code, operation, message, mayHaveArrived } = error
  const facts: Operation | undefined = operation && operations[operation]
  const pays = facts?.billing === 'payment'
  if (facts?.body?.fields?.includes('voice') && /\bvoice\b/.test(message) && (status === 400 || code === 'invalid_input')) {
    return 'farebox voices lists the voices of each model.'
  }
  if (status === 401) return onCredentials(caller)
  if (status === 402 && !pays) return onCredit(code, caller)
  if (status === 409 && facts?.body?.fields?.includes('consents'))
    return 'If you may attest what the policy asks for, repeat the command with --consent.'
  if (code === 'outcome_unknown' || (pays && mayHaveArrived)) return 'Read farebox balance before you buy again.'
  if (tookTooLong(error)) return 'An attempt took longer than --timeout allows, 60 seconds by default. Give it more, or check --base-url.'
  if (code === 'unexpected_response') return 'Check --base-url: farebox whoami --check says what responds there.'
  if (['connection', 'not_sent', 'lost_answer', 'timeout'].includes(code)) return 'Check --base-url, and that the service is running.'
  if (code === 'download_origin') return 'To fetch it, resume the video with --download-origin and that origin.'
  return undefined
}

/** Whether a time limit of the SDK ended the last attempt. */
function tookTooLong({ cause }: Error): boolean {
  return cause instanceof Error && (cause.name === 'TimeoutError' || tookTooLong(cause))
}

function onCredentials(caller: Caller | undefined): string {
  if (caller === 'wallet')
    return 'A wallet signs in with the time and the origin of the service. Check the clock of this machine, and --base-url.'
  const key = 'Check FAREBOX_API_KEY: that it is of this service, has not expired, and is of a type that may do this.'
  return caller === 'key' ? key : 'Check FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY, and that they are of this service.'
}

/** The service says whether the account or the key's own limit does not suffice. */
function onCredit(code: string, caller: Caller | undefined): string {
  if (/^API_KEY_\w+_LIMIT_EXCEEDED$/.test(code)) {
    return 'The limit is that of the key, whatever its account has. Wait for the next period of the limit, or use a key with a higher one.'
  }
  if (caller === 'key') return 'farebox balance shows what the account has. Its owner adds credit; a key cannot buy any.'
  if (caller === 'wallet') return 'farebox balance shows what the wallet has, and farebox top-up 10 buys more.'
  return 'Set FAREBOX_API_KEY, or FAREBOX_PRIVATE_KEY of a wallet that has credit.'
}
