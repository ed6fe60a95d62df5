/**
 * Makes names unique: each stays as it is, or gets the first free number from 2.
 */
export function uniqueNames(taken: Iterable<string> = []): (name: string) => string {
  const used = new Set(taken)
  return (name) => {
    let unique = name
    for (let count = 2; used.has(unique); count++) unique = `${name}${count}`
    used.add(unique)
    return unique
  }
}

/** A schema's name as an identifier, its words joined if needed (`simple-user` → SimpleUser). */
export function toSchemaName(key: string): string {
  const name = isIdentifier(key) ? key : pascalCase(key)
  return wordsOfTypeScript.has(name) || wordsOfOutput.has(name) ? `${capitalize(name)}Schema` : name
}

/**
 * An operationId as a camelCase identifier: `GetUser` → getUser, `users/list-all` → usersListAll.
 */
export function toOperationName(operationId: string): string {
  const name = camelCase(operationId)
  return wordsOfTypeScript.has(name) || wordsOfClient.has(name) ? `${name}Operation` : name
}

/** The name of an operation without one: `get /users/{id}/keys` → getUsersByIdKeys. */
export function deriveOperationName(method: string, path: string): string {
  const words = path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.replaceAll(/\{([^}]*)\}/g, ' by $1 '))
  return toOperationName([method, ...words].join(' '))
}

/** A header's name as a field: `Idempotency-Key` → idempotencyKey. */
export function toHeaderField(name: string): string {
  return camelCase(/[a-z]/.test(name) ? name : name.toLowerCase())
}

/** `page[maxSize]` → pageMaxSize, `URLParse` → urlParse. Never empty, always an identifier. */
export function camelCase(text: string): string {
  const [first = 'unnamed', ...rest] = splitWords(text)
  const head = /^(?:\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}+|)/u.exec(first)?.[0] ?? ''
  return toIdentifier(
    [head.toLowerCase() + first.slice(head.length), ...rest.map(capitalize)].join(''),
  )
}

/** `simple-user` → SimpleUser. Capitals inside a word stay. Never empty, always an identifier. */
export function pascalCase(text: string): string {
  return toIdentifier(splitWords(text).map(capitalize).join('') || 'Unnamed')
}

function splitWords(text: string): readonly string[] {
  const words = isAscii(text)
    ? text.split(/[^A-Za-z\d$]+/)
    : text.normalize('NFC').split(/[^\p{ID_Continue}$]+|_+/u)
  return words.filter((word) => word !== '')
}

function toIdentifier(name: string): string {
  return isIdentifier(name) ? name : `_${name}`
}

export function isIdentifier(text: string): boolean {
  return isAscii(text)
    ? /^[A-Za-z_$][\w$]*$/.test(text)
    : /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(text)
}

/** For ASCII, simple expressions say the same, and need no tables of Unicode. */
function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Reserved words, and names that TypeScript does not allow for types. */
const wordsOfTypeScript = new Set(
  (
    'any as async await bigint boolean break case catch class const continue debugger default delete do else enum export extends ' +
    'false finally for function if implements import in instanceof interface let never new null number object package private ' +
    'protected public return static string super switch symbol this throw true try type typeof undefined unknown var void while ' +
    'with yield arguments eval'
  ).split(' '),
)

/** Names that the generated modules use themselves. */
const wordsOfOutput = new Set(
  (
    'paths components operations webhooks validators z types schemas checks formats unevaluated stated temporal bigints Arbitraries Array Blob File Uint8Array Record Omit Pick Partial Readonly Required ' +
    'Exclude Extract WithRequired Promise Object Symbol Infinity NaN globalThis __proto__ constructor $defs'
  ).split(' '),
)

/**
 * Members of a client other than operations, `then` (a client is not a promise), the imports of the
 * validators' module, and what has a type that an output exports itself, such as `FileInput` and
 * `RejectedRequest`.
 */
const wordsOfClient = new Set(
  (
    'use eject request file rejected then operations operation validators z schemas checks formats unevaluated temporal bigints paths components constructor toString ' +
    'valueOf prototype __proto__'
  ).split(' '),
)

/** The names of fields of the flat input that the generator adds. */
export const inputWords = {
  /** A whole body. */
  whole: 'body',
  /** The fields of a body whose names are taken. */
  nested: 'requestBody',
  /** The media type of a body, if it has several. */
  choice: 'contentType',
} as const
