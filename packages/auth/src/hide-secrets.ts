/**
 * Strings that may be a key, a signature or a header in any encoding, and lists of as many bytes.
 * EVM addresses and long error codes have the same length and are kept.
 */
const secrets = /(?<![\w+/=-])(0x[\da-fA-F]{40}|[a-z_]+)(?![\w+/=-])|[\w+/=-]{32,}|(?:\d+, ?){31,}\d+/g

/**
 * A text from code that is not ours, with every string as long as a secret replaced by `[hidden]`.
 */
export function hideSecrets(text: unknown): string {
  return String(text).replace(secrets, (_, known = '[hidden]') => known as string)
}
