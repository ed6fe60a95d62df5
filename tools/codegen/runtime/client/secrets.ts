/**
 * The credentials that were sent. They must not be shown. It holds the last few hundred spellings:
 * a token that a function gives anew for each call would fill the memory.
 */
export type Secrets = Set<string>

const most = 512

/** Remembers credentials in the spellings in which a call has them. */
export function remember(secrets: Secrets, values: readonly string[]): void {
  for (const value of values.flatMap(listSpellings)) {
    // the last used stays longest
    secrets.delete(value)
    secrets.add(value)
  }
  for (const oldest of secrets) {
    if (secrets.size <= most) return
    secrets.delete(oldest)
  }
}

/** A header has no white space at its ends, a URL has escapes, and what repeats one may be JSON. */
function listSpellings(value: string): readonly string[] {
  const sent = value.trim()
  return [
    value,
    sent,
    encodeURIComponent(sent.replace(/\p{Surrogate}/gu, '\uFFFD')),
    JSON.stringify(sent).slice(1, -1),
  ]
}

/** A short credential may be part of another word: it is hidden only where it stands alone. */
const minWordLength = 8

/** A string without the credentials. */
export function hideSecrets(text: string, secrets: Secrets): string {
  return [...secrets]
    .filter((secret) => secret !== '' && text.includes(secret))
    .sort((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replace(createPattern(secret), '[hidden]'), text)
}

function createPattern(secret: string): RegExp {
  const escaped = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(
    secret.length < minWordLength ? `(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])` : escaped,
    'g',
  )
}

/**
 * Hides credentials in an error and its causes: a service may repeat in a response what it was
 * sent, and a platform may quote the URL.
 */
export function cleanError(error: unknown, secrets: Secrets): unknown {
  let one = error
  for (let depth = 0; one instanceof Error && depth < 16; depth++) {
    for (const field of ['message', 'stack', 'excerpt']) hideIn(one, field, secrets)
    one = one.cause
  }
  return error
}

/** Hides credentials in a field of an object: also in one that only a prototype has. */
export function hideIn(target: object, field: string, secrets: Secrets): void {
  const text = (target as Readonly<Record<string, unknown>>)[field]
  if (typeof text !== 'string') return
  const value = hideSecrets(text, secrets)
  if (value !== text)
    Reflect.defineProperty(target, field, { value, writable: true, configurable: true })
}

/** The same methods, whose errors show no credential. */
export function cleanMethodErrors<Methods extends object>(
  methods: Methods,
  secrets: Secrets,
): Methods {
  const entries = Object.entries(methods).map(
    ([name, call]: [string, (...input: unknown[]) => Promise<unknown>]) => {
      const clean = (...input: unknown[]) =>
        call(...input).catch((error: unknown) => {
          throw cleanError(error, secrets)
        })
      return [name, clean] as const
    },
  )
  return Object.fromEntries(entries) as Methods
}
