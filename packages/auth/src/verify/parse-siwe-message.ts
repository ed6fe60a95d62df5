import { keccak_256 } from '@noble/hashes/sha3.js'
import { isChecksumAddress } from '../evm/address.js'
import { SiwxError } from './errors.js'

/** The fields of an EIP-4361 message, as written. Dates are in RFC 3339 and exist. */
export type SiweMessage = {
  readonly scheme?: string
  /** RFC 3986 authority: host, with its port if it has one. */
  readonly domain: string
  /** 0x and 40 hex digits in their EIP-55 form. A Solana address is base58. */
  readonly address: string
  readonly statement?: string
  readonly uri: string
  readonly version: '1'
  readonly chainId: number
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime?: string
  readonly notBefore?: string
  readonly requestId?: string
  readonly resources?: readonly string[]
}

/**
 * Parses an EIP-4361 message line by line, so that a statement cannot pass for a field. Throws a
 * SiwxError `invalid_message` for a string that does not match the grammar.
 *
 * @example
 * ```ts
 * const { address, nonce } = parseSiweMessage(message)
 * ```
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export function parseSiweMessage(text: string): SiweMessage {
  const lines = createLineReader(text)
  const opening = readOpening(lines, 'Ethereum')
  if (!isChecksumAddress(opening.address, keccak_256))
    throw createLineError(2, 'an address of 0x and 40 hex digits in its EIP-55 form')
  // a missing statement leaves the empty lines above and below it
  const statement = lines.current() === '' ? undefined : readStatement(lines)
  lines.blank()
  const fields = readFields(lines, (id) => /^\d+$/.test(id) && Number.isSafeInteger(Number(id)))
  lines.end()
  return {
    ...opening,
    ...(statement !== undefined && { statement }),
    ...fields,
    version: '1',
    chainId: Number(fields.chainId),
  }
}

/**
 * The fields of a Solana sign-in message (interface specification, "SIGN-IN-WITH-X header"). The
 * fields that the sign-in extension of x402 adds may follow the expiration time, in the order of
 * EIP-4361.
 */
export type SolanaMessage = Omit<SiweMessage, 'chainId'> & {
  /** The CAIP-2 name, or only its reference. */
  readonly chainId: string
}

/**
 * Parses a Solana sign-in message line by line. A missing statement leaves one empty line, not two.
 * The address is not validated.
 *
 * @example
 * ```ts
 * const { address, nonce } = parseSolanaMessage(message)
 * ```
 */
export function parseSolanaMessage(text: string): SolanaMessage {
  const lines = createLineReader(text)
  const opening = readOpening(lines, 'Solana')
  const statement = lines.current()?.startsWith('URI: ') ? undefined : readStatement(lines)
  if (statement !== undefined) lines.blank()
  const fields = readFields(lines, (id) => /^(solana:)?[1-9A-HJ-NP-Za-km-z]{32}$/.test(id))
  lines.end()
  return { ...opening, ...(statement !== undefined && { statement }), ...fields, version: '1' }
}

type LineReader = ReturnType<typeof createLineReader>

function createLineReader(text: string) {
  if (!/^[\x20-\x7e\n]*$/.test(text))
    throw new SiwxError(
      'invalid_message',
      'Sign-in message: expected printable ASCII and line feeds only',
    )
  const lines = text.split('\n')
  const reader = {
    /** Lines read so far. */
    at: 0,
    current: () => lines[reader.at],
    next: () => lines[reader.at++],
    blank() {
      if (reader.next() !== '') throw createLineError(reader.at, 'an empty line')
    },
    field(prefix: string, fits: (value: string) => boolean): string {
      const line = reader.next()
      const value = line?.slice(prefix.length) ?? ''
      if (!line?.startsWith(prefix) || !fits(value))
        throw createLineError(reader.at, `"${prefix}" and a valid value`)
      return value
    },
    optional: (prefix: string, fits: (value: string) => boolean) =>
      reader.current()?.startsWith(prefix) ? reader.field(prefix, fits) : undefined,
    end() {
      if (reader.at < lines.length)
        throw createLineError(
          reader.at + 1,
          'the end of the message, or the next optional field in its order',
        )
    },
  }
  return reader
}

function readOpening(lines: LineReader, chain: string) {
  const line = lines.next() ?? ''
  const tail = ` wants you to sign in with your ${chain} account:`
  const [, scheme, domain = ''] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(.*)$/.exec(line.slice(0, -tail.length)) ?? []
  if (!line.endsWith(tail) || !isAuthority(domain))
    throw createLineError(1, `a domain and "${tail.trim()}"`)
  const address = lines.next() ?? ''
  lines.blank()
  return { ...(scheme !== undefined && { scheme }), domain, address }
}

function readStatement(lines: LineReader): string {
  const statement = lines.next() ?? ''
  if (!/^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+$/.test(statement))
    throw createLineError(lines.at, 'a statement of RFC 3986 characters and spaces')
  return statement
}

function readFields(lines: LineReader, isChainId: (value: string) => boolean) {
  const date = (value: string) => parseRfc3339(value) !== undefined
  const uri = lines.field('URI: ', isUri)
  lines.field('Version: ', (value) => value === '1')
  const chainId = lines.field('Chain ID: ', isChainId)
  const nonce = lines.field('Nonce: ', (value) => /^[A-Za-z0-9]{8,}$/.test(value))
  const issuedAt = lines.field('Issued At: ', date)
  const expirationTime = lines.optional('Expiration Time: ', date)
  const notBefore = lines.optional('Not Before: ', date)
  const requestId = lines.optional('Request ID: ', isPchars)
  const resources = lines.current() === 'Resources:' ? readResources(lines) : undefined
  return {
    uri,
    chainId,
    nonce,
    issuedAt,
    ...(expirationTime !== undefined && { expirationTime }),
    ...(notBefore !== undefined && { notBefore }),
    ...(requestId !== undefined && { requestId }),
    ...(resources && { resources }),
  }
}

function readResources(lines: LineReader): readonly string[] {
  lines.next()
  const resources: string[] = []
  while (lines.current()?.startsWith('- ')) resources.push(lines.field('- ', isUri))
  return resources
}

function createLineError(line: number, expected: string): SiwxError {
  return new SiwxError('invalid_message', `Sign-in message, line ${line}: expected ${expected}`)
}

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/**
 * Milliseconds since 1970 of an RFC 3339 date-time; undefined for any other string. `Date.parse`
 * accepts other formats, and turns 31 April into 1 May.
 */
export function parseRfc3339(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number)
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59)
    return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hour, minute, second, Math.floor(Number(match[7] ?? 0) * 1000))
  const offset = (offsetHour * 60 + offsetMinute) * 60_000
  return date.getTime() - (match[8] === '-' ? -offset : offset)
}

const unreserved = `A-Za-z0-9\\-._~`
const delimiters = `!$&'()*+,;=`
const percent = '%[0-9A-Fa-f]{2}'
const pchar = `(?:[${unreserved}${delimiters}:@]|${percent})`
const host = `(?:\\[[0-9A-Fa-f:.]+\\]|\\[[vV][0-9A-Fa-f]+\\.[${unreserved}${delimiters}:]+\\]|(?:[${unreserved}${delimiters}]|${percent})*)`
const authority = `(?:(?:[${unreserved}${delimiters}:]|${percent})*@)?${host}(?::[0-9]*)?`
const path = `(?://${authority}(?:/${pchar}*)*|/(?:${pchar}+(?:/${pchar}*)*)?|${pchar}+(?:/${pchar}*)*|)`
const schemeAndPath = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:${path}$`)
const queryAndFragment = new RegExp(`^(?:\\?(?:${pchar}|[/?])*)?(?:#(?:${pchar}|[/?])*)?$`)
const wholeAuthority = new RegExp(`^${authority}$`)
const pchars = new RegExp(`^${pchar}*$`)

/** RFC 3986 `URI`: with a scheme, ASCII, nothing unescaped that must be escaped. */
function isUri(text: string): boolean {
  const start = text.search(/[?#]|$/)
  return (
    schemeAndPath.test(text.slice(0, start)) &&
    queryAndFragment.test(text.slice(start)) &&
    hasValidAddress(text)
  )
}

/** Non-empty RFC 3986 `authority`: may contain user info, an IPv6 address and a port. */
function isAuthority(text: string): boolean {
  return text !== '' && wholeAuthority.test(text) && hasValidAddress(text)
}

/** RFC 3986 `*pchar`. */
function isPchars(text: string): boolean {
  return pchars.test(text)
}

/** The URL parser of the platform validates IPv6 addresses. */
function hasValidAddress(text: string): boolean {
  const address = /(?:^|\/\/|@)(\[[0-9A-Fa-f:.]+\])/.exec(text)?.[1]
  return address === undefined || URL.canParse(`http://${address}/`)
}
