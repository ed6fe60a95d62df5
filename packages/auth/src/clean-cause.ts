import { hideSecrets } from './hide-secrets.js'

/**
 * Error options whose cause was thrown by somebody else's code (a wallet, a key store, a node, a fetch), without the secrets that it may hold:
 * its name, code, text and own cause, and in these nothing as long as a secret. What cannot even be looked at is nothing to show.
 */
export function cleanCause({ cause }: ErrorOptions = {}): ErrorOptions {
  try {
    return cause === undefined ? {} : { cause: cleaned(cause) }
  } catch {
    return {}
  }
}

function cleaned(thrown: unknown): Error {
  const { name = 'Error', message = thrown, code, cause } = Object(thrown) as { readonly [field in keyof Error | 'code']?: unknown }
  return Object.assign(new Error(hideSecrets(message), cleanCause({ cause })), {
    name: hideSecrets(name),
    // wallets have numbers for codes, Node has words
    ...(code !== undefined && { code: typeof code === 'number' ? code : hideSecrets(code) }),
  })
}
