import { requireSecure } from '@farebox/auth'
import type { Context } from './command.js'
import { Refusal, UsageError } from './errors.js'
import { readSettings } from './settings.js'

/** A request to the operator's listener of a service. */
export type OperatorRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below `/operator/v1`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
}

const usualUrl = 'http://127.0.0.1:4021'
const patienceMs = 60_000

/**
 * Sends a request with the key of the operator, and resolves to the JSON of its answer. Throws
 * `UsageError` for a missing setting and for plain HTTP to another machine, and `Refusal` for all
 * that the service refuses. No redirect is followed, since it could take the key elsewhere.
 */
export async function askOperator<Answer>(
  context: Context,
  { method, path, query = {}, body }: OperatorRequest,
): Promise<Answer> {
  const { arguments: given, environment, signal } = context
  const settings = await readSettings(environment, given.text('config'))
  const { operatorKey } = settings
  if (operatorKey === undefined)
    throw new UsageError(
      'There is no key of the operator. Set FAREBOX_OPERATOR_KEY to the one of the service.',
    )
  const base = parseBase(
    settings.operatorUrl ?? usualUrl,
    given.has('allow-insecure-http') || settings.allowInsecureHttp === 'true',
  )
  const url = new URL(`${base}/operator/v1${path}`)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value)
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${operatorKey}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error
    const why =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new Refusal(
      'unreachable',
      `No operator's listener answers at ${base} (${why}). Start the service with --operator-port, or set FAREBOX_OPERATOR_URL.`,
    )
  })
  const answer = (await response.json().catch(() => undefined)) as
    | (Answer & { readonly error?: string; readonly code?: string })
    | undefined
  if (answer === undefined)
    throw new Refusal(
      'no_json',
      `${base} answered ${response.status} without JSON. Is it the operator's listener of a service?`,
    )
  if (!response.ok)
    throw new Refusal(
      (answer.code ?? 'refused').toLowerCase(),
      answer.error ?? `The service responded with ${response.status}.`,
    )
  return answer
}

function parseBase(text: string, allowInsecureHttp: boolean): string {
  if (text.includes('@'))
    throw new UsageError(
      'FAREBOX_OPERATOR_URL holds a user name or a password. Leave them out: the key is set apart.',
    )
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new UsageError(
      `FAREBOX_OPERATOR_URL is ${JSON.stringify(text)}; expected one like ${usualUrl}.`,
    )
  }
  try {
    requireSecure(text, { allowInsecureHttp })
  } catch {
    throw new UsageError(
      `FAREBOX_OPERATOR_URL ${text} is plain HTTP to another machine, which shows the key to the network. Use https, or give --allow-insecure-http.`,
    )
  }
  return text.replace(/\/+$/, '')
}
