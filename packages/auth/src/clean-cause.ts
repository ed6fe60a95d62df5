/**
 * Error options with a cause that is safe to show. The cause was thrown by foreign code (a wallet,
 * a key store, a node, fetch) and may contain secrets. Its name, code, message and cause are kept,
 * with every secret hidden. A value that throws when it is inspected is dropped.
 */
export function cleanCause({ cause }: ErrorOptions = {}): ErrorOptions {
  try {
    return cause === undefined ? {} : { cause: cleanError(cause) }
  } catch {
    return {}
  }
}

function cleanError(thrown: unknown): Error {
  const {
    name = 'Error',
    message = thrown,
    code,
    cause,
  } = Object(thrown) as { readonly [field in keyof Error | 'code']?: unknown }
  return Object.assign(new Error(hideSecrets(message), cleanCause({ cause })), {
    name: hideSecrets(name),
    // wallets use numbers for codes, Node uses strings
    ...(code !== undefined && { code: typeof code === 'number' ? code : hideSecrets(code) }),
  })
}

/**
 * The first line of an error thrown by foreign code, with every secret hidden, for the message of
 * our error.
 */
export function describeThrown(thrown: unknown): string {
  try {
    const { message = thrown } = Object(thrown) as { readonly message?: unknown }
    const [line = ''] = hideSecrets(message).trim().split('\n')
    return line.slice(0, 200) || 'no reason'
  } catch {
    return 'no reason'
  }
}

/**
 * Strings that may be a key, a signature or a header in any encoding, and lists of as many bytes.
 * EVM addresses and long error codes have the same length and are kept.
 */
const secrets =
  /(?<![\w+/=-])(0x[\da-fA-F]{40}|[a-z_]+)(?![\w+/=-])|[\w+/=-]{32,}|(?:\d+, ?){31,}\d+/g

/**
 * A string from foreign code, with every part as long as a secret replaced by `[hidden]`.
 */
export function hideSecrets(text: unknown): string {
  return String(text).replace(secrets, (_, known = '[hidden]') => known as string)
}
