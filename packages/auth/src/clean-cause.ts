import { hideSecrets } from './hide-secrets.js'

/**
 * Error options with a cause that is safe to show. The cause was thrown by code that is not ours (a
 * wallet, a key store, a node, fetch) and may hold secrets. Its name, code, message and cause are
 * kept, with every secret hidden. A value that throws when it is inspected is dropped.
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
    // wallets use numbers for codes, Node uses strings
    ...(code !== undefined && { code: typeof code === 'number' ? code : hideSecrets(code) }),
  })
}

/** What a cause says, as the end of a message, with every secret hidden. */
export function because(cause: unknown): string {
  try {
    const { message = cause } = Object(cause) as { readonly message?: unknown }
    const said = typeof message === 'string' ? hideSecrets(message).split('\n', 1)[0]?.slice(0, 200) : undefined
    return said ? `: ${said}` : ''
  } catch {
    return ''
  }
}
