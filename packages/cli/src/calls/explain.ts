import { FareboxError } from 'farebox'
import type { Caller } from './connect.js'
import { CommandError, UsageError, type Arguments, type Command, type Flag } from '../command.js'
import { findRepeatKey } from './paid-call.js'
import { operations, type Operation } from '@farebox/types/operations'

/**
 * Why a command failed: one or two lines for people, an object for `--json`.
 */
export type Explanation = {
  /** 1 rejected or failed, 2 usage, 70 internal, 130 interrupted by the user. */
  readonly exitCode: number
  readonly code: string
  readonly message: string
  /** What to do. */
  readonly advice?: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/** The facts of the call that failed. */
type Circumstances = {
  readonly isAborted: boolean
  /** The command line. Without it, fields keep the names of the SDK. */
  readonly typed?: CommandInput | undefined
  readonly caller?: Caller | undefined
}

export function explain(error: unknown, circumstances: Circumstances): Explanation {
  const { isAborted } = circumstances
  if (error instanceof UsageError) return { exitCode: 2, code: 'usage', message: error.message }
  if (error instanceof FareboxError) return explainServiceError(error, circumstances)
  if (isAborted) return { exitCode: 130, code: 'aborted', message: 'Interrupted.' }
  if (error instanceof CommandError)
    return { exitCode: 1, code: error.code, message: error.message }
  if (isSystemError(error))
    return { exitCode: 1, code: error.code.toLowerCase(), message: error.message }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    exitCode: 70,
    code: 'internal',
    message: `This is a bug in farebox. ${what}`,
    advice: 'Please report it, with the command that you ran.',
  }
}

function explainServiceError(
  error: FareboxError,
  { isAborted, typed, caller }: Circumstances,
): Explanation {
  const { code, status, operation, requestId, attempts, mayHaveArrived, retryAt } = error
  const key = findRepeatKey(error)
  const advice = [
    findAdvice(error, caller),
    ...(key === undefined
      ? []
      : [
          `The work may have been done and charged. Repeat the command with --idempotency-key ${key}: nothing is done or charged twice.`,
        ]),
    ...(retryAt === undefined ? [] : [`Try again after ${new Date(retryAt).toISOString()}.`]),
  ].filter((line) => line !== undefined)
  const exitCode =
    isAborted || code === 'aborted'
      ? 130
      : code === 'invalid_input' || code === 'configuration'
        ? 2
        : 1
  return {
    exitCode,
    code,
    message: typed === undefined ? error.message : describeError(error, typed),
    ...(advice.length > 0 && { advice: advice.join('\n') }),
    facts: {
      ...(operation !== undefined && { operation }),
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      attempts,
      mayHaveArrived,
      ...(key !== undefined && { idempotencyKey: key }),
      ...(retryAt !== undefined && { retryAt: new Date(retryAt).toISOString() }),
    },
  }
}

/** The message without the name of the SDK's method, and with flags in place of its fields. */
function describeError(error: FareboxError, typed: CommandInput): string {
  const { message, operation, status, code } = error
  const unprefixed =
    operation !== undefined && message.startsWith(`${operation}: `)
      ? message.slice(operation.length + 2)
      : message
  const prefix = `${status ?? ''}`
  const text =
    status !== undefined && unprefixed.startsWith(prefix)
      ? unprefixed.slice(prefix.length).trim()
      : unprefixed
  if (text === '') return `The service responded with ${prefix}.`
  if (code === 'invalid_input')
    return `${nameFlags(text.replace(unsent, ''), typed)}${unsent.test(text) ? '. Nothing was sent.' : ''}`
  const [, url] = unreachedPattern.exec(text) ?? []
  if (url !== undefined)
    return `Cannot connect to ${new URL(url).origin}${formatConnectionCause(error)}.`
  const rewordedText = nameFlags(text, typed)
  return `${rewordedText.charAt(0).toUpperCase()}${rewordedText.slice(1)}${text === unprefixed ? '' : ` (HTTP ${prefix})`}`
}

/** How the validation of the SDK begins. */
const unsent = /^the input does not match the contract, and nothing was sent\. /

/** The message of an attempt without a connection. */
const unreachedPattern = /^[A-Z]+ (https?:\S+): no connection was made/

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
}

/** The cause that the system gave, with its code. Empty: it gave none. */
function formatConnectionCause({ cause }: Error): string {
  if (!(cause instanceof Error)) return ''
  const { code } = cause as NodeJS.ErrnoException
  if (typeof code !== 'string' || !/^[A-Z][A-Z_]+$/.test(code)) return formatConnectionCause(cause)
  return reasons[code] === undefined ? ` (${code})` : `: ${reasons[code]} (${code})`
}

/** An error of the operating system: a full disk, a missing file. */
function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return (
    error instanceof Error &&
    'syscall' in error &&
    'code' in error &&
    typeof error.code === 'string'
  )
}

/** What the caller can do about a failure. A caller with an API key gets no advice to top up a wallet. */
function findAdvice(error: FareboxError, caller: Caller | undefined): string | undefined {
  const { status, code, operation, message, mayHaveArrived } = error
  const facts: Operation | undefined = operation && operations[operation]
  const pays = facts?.billing === 'payment'
  if (
    facts?.body?.fields?.includes('voice') &&
    /\bvoice\b/.test(message) &&
    (status === 400 || code === 'invalid_input')
  ) {
    return 'farebox voices lists the voices of each model.'
  }
  if (status === 401) return adviseOnCredentials(caller)
  if (status === 402 && !pays) return adviseOnCredit(code, caller)
  if (status === 409 && facts?.body?.fields?.includes('consents'))
    return 'If you may attest what the policy asks for, repeat the command with --consent.'
  if (code === 'outcome_unknown' || (pays && mayHaveArrived))
    return 'Check farebox balance before you buy again.'
  if (isTimeout(error))
    return 'An attempt took longer than --timeout allows, 60 seconds by default. Raise it, or check --base-url.'
  if (code === 'unexpected_response')
    return 'Check --base-url: farebox whoami --check shows what responds there.'
  if (['connection', 'not_sent', 'lost_response', 'timeout'].includes(code))
    return 'Check --base-url, and that the service is running.'
  if (code === 'download_origin')
    return 'To download it, resume the video with --download-origin and that origin.'
  return undefined
}

/** Whether a time limit of the SDK ended the last attempt. */
function isTimeout({ cause }: Error): boolean {
  return cause instanceof Error && (cause.name === 'TimeoutError' || isTimeout(cause))
}

function adviseOnCredentials(caller: Caller | undefined): string {
  if (caller === 'wallet')
    return 'A wallet signs in with the time and the origin of the service. Check the clock of this machine, and --base-url.'
  const key =
    'Check FAREBOX_API_KEY: it must belong to this service, must not have expired, and must be of a type that may do this.'
  return caller === 'key'
    ? key
    : 'Check FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY, and that they belong to this service.'
}

/** The service says whether the account or the key's own limit does not suffice. */
function adviseOnCredit(code: string, caller: Caller | undefined): string {
  if (/^API_KEY_\w+_LIMIT_EXCEEDED$/.test(code)) {
    return 'This is the limit of the key, not of its account. Wait for the next period of the limit, or use a key with a higher one.'
  }
  if (caller === 'key')
    return 'farebox balance shows the credit of the account. Its owner adds credit; a key cannot buy any.'
  if (caller === 'wallet')
    return 'farebox balance shows the credit of the wallet, and farebox top-up 10 buys more.'
  return 'Set FAREBOX_API_KEY, or FAREBOX_PRIVATE_KEY of a wallet that has credit.'
}

/** What a person typed, which an error is about. */
export type CommandInput = {
  readonly command: Pick<Command, 'operands' | 'flags' | 'fields'>
  readonly arguments: Pick<Arguments, 'text' | 'operands'>
}

type Place = { readonly spelling: string; readonly found: string | undefined }

/**
 * A message of the SDK or of the service in the words of the command line: `top_p: Too big: …`
 * becomes `--top-p: found "3", expected 2 or less`. A field that no flag sets keeps its name.
 */
export function nameFlags(message: string, typed: CommandInput): string {
  const places = mapPlaces(typed)
  const messageWithPlaces = message.replaceAll(
    /(^|[.;] )([\w.]+): ((?:"[^"]*"|[^;])*)/g,
    (whole, before: string, path: string, text: string) => {
      const place = places.get(path) ?? places.get(path.split('.')[0] ?? '')
      return place === undefined
        ? whole
        : `${before}${place.spelling}: ${describeExpectation(text, place.found)}`
    },
  )
  const messageWithFlags = messageWithPlaces.replaceAll(
    /\b[a-z]+(?:_[a-z]+|[A-Z][a-z]*)+\b/g,
    (name) => places.get(name)?.spelling ?? name,
  )
  return (
    messageWithFlags
      .replaceAll(
        /GET \/models\/(\S+) lists its voices/g,
        'farebox voices --model $1 lists its voices',
      )
      .replaceAll(
        /GET \/models(?:\?type=(\w+))?/g,
        (_, type?: string) => `farebox models${type === undefined ? '' : ` --type ${type}`}`,
      )
      // --timeout takes seconds
      .replaceAll(/\bwithin (\d+) ms\b/g, (_, ms: string) => `within ${Number(ms) / 1000} s`)
  )
}

/** The operand or flag of each field. A name of several words has two forms in the SDK. */
function mapPlaces({ command, arguments: args }: CommandInput): ReadonlyMap<string, Place> {
  const operands = (command.fields ?? []).map(
    (field, at) =>
      [field, { spelling: command.operands[at]?.name ?? field, found: args.operands[at] }] as const,
  )
  const flags = command.flags.flatMap((flag) => {
    const place = {
      spelling: `--${flag.name}`,
      found: flag.kind === 'text' ? args.text(flag.name) : undefined,
    }
    return listFields(flag).map((field) => [field, place] as const)
  })
  return new Map([...flags, ...operands])
}

function listFields({ name, field }: Flag): readonly string[] {
  if (field !== undefined) return [field].flat()
  return [
    name.replaceAll('-', '_'),
    name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ]
}

/** What the validators of the service and of the SDK say, in the form of the other errors of the command. */
const forms: readonly (readonly [RegExp, (...parts: readonly string[]) => string])[] = [
  [
    /^Invalid option: expected one of (.*)$/,
    (options = '') => `one of ${options.replaceAll('"', '').replaceAll('|', ', ')}`,
  ],
  [/^Too small: expected \w+ to be >=?(\S+)$/, (least) => `${least} or more`],
  [/^Too big: expected \w+ to be <=?(\S+)$/, (most) => `${most} or less`],
  [/^Too small: expected \w+ to have >=?(\d+) (\w+)$/, (least, unit) => `${least} ${unit} or more`],
  [/^Too big: expected \w+ to have <=?(\d+) (\w+)$/, (most, unit) => `${most} ${unit} or fewer`],
  [/^Invalid ISO datetime.*$/, () => 'a time such as 2027-01-01T00:00:00Z'],
  [
    /^Expected a string of the format date-time, found .*$/,
    () => 'a time such as 2027-01-01T00:00:00Z',
  ],
  [/^Expected (one of ".*), found .*$/, (options = '') => options.replaceAll('"', '')],
  [/^Expected a number >= (\S+), found .*$/, (least) => `${least} or more`],
  [/^Expected a number <= (\S+), found .*$/, (most) => `${most} or less`],
  [/^Expected (.*), found (?!nothing$).*$/, (what = '') => what],
  [/^Invalid string: must match pattern (.*)$/, (pattern) => `a string of the form ${pattern}`],
]

function describeExpectation(text: string, value: string | undefined): string {
  for (const [form, word] of forms) {
    const parts = form.exec(text)?.slice(1)
    // a long text is not repeated: the user typed it
    if (parts !== undefined)
      return `${value === undefined || value.length > 60 ? '' : `found ${JSON.stringify(value)}, `}expected ${word(...parts)}`
  }
  return text
}
