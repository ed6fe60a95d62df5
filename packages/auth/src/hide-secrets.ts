/**
 * Runs of letters that may be a key, a signature or a header in any of their codings, and lists of as many bytes. EVM addresses, which are
 * public, and the long words that services have for codes are as long.
 */
const secrets = /(?<![\w+/=-])(0x[\da-fA-F]{40}|[a-z_]+)(?![\w+/=-])|[\w+/=-]{32,}|(?:\d+, ?){31,}\d+/g

/** A text that somebody else wrote, with nothing in it that is as long as a secret. */
export function hideSecrets(text: unknown): string {
  return String(text).replace(secrets, (_, known = '[hidden]') => known as string)
}
