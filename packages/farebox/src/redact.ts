/** Hides secrets in a string. */
export type Redact = (text: string) => string

const mark = '[hidden]'

/** The step of the search in characters: it finds pieces of nearly twice that length. */
const step = 8

/** A shorter match is probably a word, such as a common prefix of keys. */
const minPiece = 12

/** A shorter credential may be part of another word. It is hidden only as a whole word. */
const minWord = 8

/**
 * Hides credentials in foreign strings: verbatim, percent-encoded, escaped for JSON or HTML, in
 * hex, and in base64, also as part of a longer string. Every piece of 15 characters of a long
 * credential is hidden too, since strings may be cut.
 */
export function createRedactor(credentials: readonly string[]): Redact {
  let hide: Redact | undefined
  return (text) =>
    credentials.length === 0 || text === '' ? text : (hide ??= buildRedactor(credentials))(text)
}

function buildRedactor(credentials: readonly string[]): Redact {
  const spellings = [...new Set(credentials.filter((one) => one !== '').flatMap(spell))]
  const short = spellings
    .filter((one) => one.length < 2 * step)
    .sort((one, other) => other.length - one.length)
  const whole = new RegExp(short.map(toPattern).join('|') || '(?!)', 'g')
  const occurs = createFinder(spellings.filter((one) => one.length >= 2 * step).join('\n'))
  return (text) => hidePieces(text, occurs).replace(whole, mark)
}

function toPattern(text: string): string {
  const escapedText = text.replace(/[^\w]/g, '\\$&')
  return text.length < minWord ? `(?<![A-Za-z0-9])${escapedText}(?![A-Za-z0-9])` : escapedText
}

function spell(credential: string): readonly string[] {
  if (credential.length < minWord) return [credential]
  const hex = credential.replace(/[^]/g, (character) =>
    character.charCodeAt(0).toString(16).padStart(2, '0'),
  )
  const encoded = encodeURIComponent(credential)
  return [
    credential,
    ...(/^0x[\da-f]+$/i.test(credential)
      ? [credential.toLowerCase(), credential.toUpperCase()]
      : []),
    encoded,
    encoded.replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(credential).slice(1, -1),
    credential.replaceAll('/', '\\/'),
    credential.replace(/[&<>"'=+/]/g, (character) => `&#${character.charCodeAt(0)};`),
    credential.replace(
      /[&<>"'=+/`]/g,
      (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
    ),
    credential.replace(/[&<>"]/g, (character) => entities[character] ?? character),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => toBase64(credential, offset)),
  ]
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/**
 * The base64 of a credential after so many other bytes, without the characters that depend on its
 * neighbours. A header is Latin-1: one byte for each character.
 */
function toBase64(credential: string, offset: number): readonly string[] {
  const binary = '\0'.repeat(offset) + credential
  const encoded = btoa(binary).slice(
    offset === 0 ? 0 : offset + 1,
    Math.floor((binary.length * 8) / 6),
  )
  return [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')]
}

/** Finds strings of one step in the spellings. Builds an index after many searches. */
function createFinder(spellings: string): (text: string) => boolean {
  let searches = 0
  let index: Set<string> | undefined
  return (text) => {
    if (index === undefined && ++searches > 2_000) {
      index = new Set(
        Array.from({ length: spellings.length }, (_, at) => spellings.slice(at, at + step)),
      )
    }
    return index?.has(text) ?? spellings.includes(text)
  }
}

function hidePieces(text: string, occurs: (text: string) => boolean): string {
  let clean = ''
  let done = 0
  for (let at = 0; at + step <= text.length; at += step) {
    if (!occurs(text.slice(at, at + step))) continue
    let [start, end] = [at, at + step]
    while (start > done && occurs(text.slice(start - 1, start - 1 + step))) start--
    while (end < text.length && occurs(text.slice(end + 1 - step, end + 1))) end++
    if (end - start < minPiece) continue
    clean += text.slice(done, start) + mark
    done = end
    at = end - step
  }
  return clean + text.slice(done)
}

/** The headers that carry our credentials. */
const credentialHeaders = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'sign-in-with-x',
  'x-sign-in-with-x',
  'payment-signature',
  'x-payment',
  'x-402-payment',
]

/** The credentials in request headers: the values, and signatures inside of base64 JSON. */
export function readCredentials(headers: Headers): readonly string[] {
  return credentialHeaders.flatMap((name) => {
    // the scheme, as in "Bearer KEY", is not secret
    const value = (headers.get(name) ?? '').replace(/^(?:Bearer|Basic) /i, '')
    return value === '' ? [] : [value, ...findSignatures(value)]
  })
}

/** Only signatures and signed transactions have 64 or more characters. */
function findSignatures(value: string): readonly string[] {
  try {
    return atob(value).match(/[\w+/=-]{64,}/g) ?? []
  } catch {
    return []
  }
}
