import type { Call, Send } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { hideIn, remember, type Secrets } from './secrets.js'
import { encodeStrictly } from './text.js'

/**
 * A credential, or a function that gives it. The function is called once for each call that may
 * need it. If it returns undefined or an empty string, there is no credential.
 */
export type Credential<Value = string> =
  | Value
  | (() => Value | undefined | Promise<Value | undefined>)

/** The credential of HTTP Basic (RFC 7617). */
export type UserAndPassword = { readonly username: string; readonly password: string }

/** A call that is being signed. */
type UnsignedRequest = { url: string; readonly headers: Headers }

/** How a credential goes into a call. */
export type Scheme = {
  /** Whether the caller has put it there. Default: no. */
  readonly isIn?: (call: UnsignedRequest) => boolean
  /** Returns its secrets. */
  readonly write: (call: UnsignedRequest, value: unknown) => readonly string[]
}

/** An API key in a header. */
export function inHeader(name: string): Scheme {
  return {
    isIn: ({ headers }) => headers.has(name),
    write: (call, value) => setHeader(call, name, stringifyCredential(value)),
  }
}

/** A token, or what else a scheme of HTTP takes after its name in `Authorization`. */
export function inAuthorization(scheme: string): Scheme {
  const header = inHeader('authorization')
  return {
    ...header,
    write: (call, value) => [
      stringifyCredential(value),
      ...header.write(call, `${scheme} ${stringifyCredential(value)}`),
    ],
  }
}

/** A user with a password, in UTF-8 (RFC 7617). */
export const basic: Scheme = {
  ...inHeader('authorization'),
  write: (call, value) => {
    const { username, password } = value as Partial<Record<keyof UserAndPassword, unknown>>
    if (typeof username !== 'string' || typeof password !== 'string')
      throw new InvalidInputError(
        'The credential of HTTP Basic is not { username, password } with two strings.',
      )
    const written = `${username}:${password}`
    if (username.includes(':') || /\p{Cc}/u.test(written))
      throw new InvalidInputError(
        'The credential of HTTP Basic has a colon in its user name, or a control character. Neither can be sent.',
      )
    const token = btoa(String.fromCharCode(...new TextEncoder().encode(written)))
    return [password, token, ...setHeader(call, 'authorization', `Basic ${token}`)]
  },
}

/** An API key in the query. */
export function inQuery(name: string): Scheme {
  return {
    write: (call, value) => {
      const written = encodeStrictly(stringifyCredential(value))
      call.url += `${call.url.includes('?') ? '&' : '?'}${encodeStrictly(name)}=${written}`
      return [stringifyCredential(value), written]
    },
  }
}

/** An API key in a cookie. Browsers send no other cookies than their own. */
export function inCookie(name: string): Scheme {
  return {
    write: (call, value) => {
      const text = stringifyCredential(value)
      const others = call.headers.get('cookie')
      if (/[;\p{Cc}]/u.test(text)) throw createCharacterError('cookie', name)
      return [
        text,
        ...setHeader(call, 'cookie', `${others === null ? '' : `${others}; `}${name}=${text}`),
      ]
    },
  }
}

/** The connection itself shows who calls. */
export const byConnection: Scheme = { write: () => [] }

/**
 * Sends each call with the credentials of the first requirement of its operation that is met, in
 * the order of the document. Without one, an operation that allows anonymous calls is called
 * without credentials, and any other is not called. A header that the caller has set stays, and meets the
 * requirement.
 *
 * A call with a credential follows no redirect: the target may be another origin, and fetch would
 * send it every header but `Authorization`.
 */
export function authorizeCalls(
  send: Send,
  schemes: Readonly<Record<string, Scheme>>,
  credentials: Readonly<Record<string, unknown>>,
  secrets: Secrets,
): Send {
  return async (call) => {
    const found = await chooseCredentials(call, schemes, credentials)
    if (found.length === 0) return send(call)
    const signed = { url: call.url, headers: new Headers(call.headers) }
    for (const { scheme, value } of found)
      if (value !== own) remember(secrets, scheme.write(signed, value))
    const response = await send({ ...call, ...signed, init: { redirect: 'manual', ...call.init } })
    hideIn(response, 'url', secrets)
    return response
  }
}

type ChosenCredentials = readonly { readonly scheme: Scheme; readonly value: unknown }[]

/** Stands for a credential that the caller has put into the call. */
const own = Symbol('own')

async function chooseCredentials(
  call: Call,
  schemes: Readonly<Record<string, Scheme>>,
  credentials: Readonly<Record<string, unknown>>,
): Promise<ChosenCredentials> {
  const { id = '', security = [] } = call.operation ?? {}
  const known = new Map<string, unknown>()
  for (const set of security) {
    const found: ChosenCredentials[number][] = []
    for (const name of set) {
      const scheme = schemes[name]
      if (!known.has(name))
        known.set(name, scheme?.isIn?.(call) ? own : await readCredential(credentials, name))
      const value = known.get(name)
      if (scheme !== undefined && value !== undefined) found.push({ scheme, value })
    }
    if (set.length > 0 && found.length === set.length) return found
  }
  if (security.every((set) => set.length > 0) && security.length > 0)
    throw new MissingCredentialsError(id, security)
  return []
}

async function readCredential(
  credentials: Readonly<Record<string, unknown>>,
  name: string,
): Promise<unknown> {
  const value = Object.hasOwn(credentials, name) ? credentials[name] : undefined
  const found: unknown = typeof value === 'function' ? await value() : value
  return found === null || found === false || found === '' ? undefined : found
}

function stringifyCredential(value: unknown): string {
  if (typeof value === 'string') return value
  throw new InvalidInputError(
    `A credential is of the type ${typeof value}; expected a string, or a function that returns one.`,
  )
}

/** The message of the platform would quote the value. */
function setHeader({ headers }: UnsignedRequest, name: string, text: string): readonly string[] {
  try {
    headers.set(name, text)
  } catch {
    throw createCharacterError('header', name)
  }
  return [text]
}

function createCharacterError(place: string, name: string): InvalidInputError {
  return new InvalidInputError(
    `The credential for the ${place} "${name}" has a character that cannot stand there.`,
  )
}

/**
 * An operation needs credentials that the client was not given. The request was not sent.
 */
export class MissingCredentialsError extends Error {
  override readonly name = 'MissingCredentialsError'

  /** The operation's id. */
  declare readonly operation: string
  /** Any one of these sets of security schemes is enough. */
  declare readonly schemes: readonly (readonly string[])[]

  constructor(operation: string, schemes: readonly (readonly string[])[]) {
    const sets = schemes.map((set) => set.map((name) => JSON.stringify(name)).join(' and '))
    super(
      `${operation}: its credentials are missing. Give the client's credentials ${sets.join(', or ')}.`,
    )
    Object.assign(this, { operation, schemes })
  }
}
