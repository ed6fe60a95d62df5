import { requireSecure } from '@farebox/auth'
import type { ChangeApiKeyInput, ListApiKeysInput } from '@farebox/client'
import type { ApiKey } from '@farebox/types'
import { type Context, CommandError, UsageError } from '../command.js'
import { readSettings } from '../settings/settings.js'
import { listAllowedCallers, connect } from './connect.js'

/** A key as the contract shows it. To the operator it has its account too. */
export type Key = ApiKey & { readonly account?: string }

/** A key after its rotation. */
type RotatedKey = {
  readonly id: string
  readonly secret: string
  readonly others: object
  readonly all: object
}

type KeyChange = Omit<ChangeApiKeyInput, 'id'>

/** Reads and changes keys: as the operator, or with the key that created them. */
type KeySource = {
  readonly list: (filter: {
    readonly account?: string
    readonly state?: string
  }) => Promise<{ readonly keys: readonly Key[]; readonly hasMore: boolean }>
  readonly read: (id: string) => Promise<Key>
  readonly change: (id: string, change: KeyChange) => Promise<Key>
  readonly rotate: (id: string, graceSeconds: number) => Promise<RotatedKey>
  readonly revoke: (id: string) => Promise<Key>
}

/** Acts as the operator if the operator key is set, unless there is `--as key`. */
export async function openKeySource(context: Context): Promise<KeySource> {
  const { arguments: args, environment } = context
  if (args.text('as') !== undefined) return createCallerSource(context)
  const { operatorKey } = await readSettings(environment, args.text('config'))
  return operatorKey === undefined ? createCallerSource(context) : createOperatorSource(context)
}

function createOperatorSource(context: Context): KeySource {
  const toPath = (id: string) => `/keys/${encodeURIComponent(id)}`
  return {
    list: (filter) =>
      callOperatorApi(context, {
        method: 'GET',
        path: '/keys',
        query: { ...filter, limit: '500' },
      }),
    read: (id) => callOperatorApi(context, { method: 'GET', path: toPath(id) }),
    change: (id, body) => callOperatorApi(context, { method: 'PATCH', path: toPath(id), body }),
    rotate: async (id, graceSeconds) => {
      const path = `${toPath(id)}/rotate`
      const all = await callOperatorApi<Key & { readonly secret: string }>(context, {
        method: 'POST',
        path,
        body: { graceSeconds },
      })
      const { secret, ...others } = all
      return { id: all.id, secret, others, all }
    },
    revoke: (id) => callOperatorApi(context, { method: 'POST', path: `${toPath(id)}/revoke` }),
  }
}

async function createCallerSource(context: Context): Promise<KeySource> {
  const { farebox } = await connect(context, listAllowedCallers('listApiKeys'))
  const { signal } = context
  return {
    list: async ({ account, state }) => {
      if (account !== undefined)
        throw new UsageError('--account is for the operator. Set FAREBOX_OPERATOR_KEY, or omit it.')
      const limit = 100
      const keys: Key[] = []
      for (;;) {
        const input = {
          limit,
          offset: keys.length,
          ...(state !== undefined && { state: state as ListApiKeysInput['state'] }),
        }
        const page = await farebox.listApiKeys(input as ListApiKeysInput, { signal })
        keys.push(...page.keys)
        if (!page.pagination.hasMore) return { keys, hasMore: false }
      }
    },
    read: (id) => farebox.getApiKey({ id }, { signal }),
    change: (id, change) => farebox.changeApiKey({ ...change, id }, { signal }),
    rotate: async (id, graceSeconds) => {
      const all = await farebox.rotateApiKey({ id, graceSeconds }, { signal })
      const { apiKey: secret, ...others } = all
      return { id, secret, others, all }
    },
    revoke: (id) => farebox.revokeApiKey({ id }, { signal }),
  }
}

/** A request to the operator's listener of a service. */
type OperatorRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below `/operator/v1`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
}

const usualUrl = 'http://127.0.0.1:4021'
const patienceMs = 60_000

/**
 * Sends a request with the key of the operator, and resolves to the JSON of the response. Throws
 * `UsageError` for a missing setting and for plain HTTP to another machine, and `CommandError` for all
 * that the service rejects. No redirect is followed, since it could take the key elsewhere.
 */
export async function callOperatorApi<Json>(
  context: Context,
  { method, path, query = {}, body }: OperatorRequest,
): Promise<Json> {
  const { arguments: args, environment, signal } = context
  const settings = await readSettings(environment, args.text('config'))
  const { operatorKey } = settings
  if (operatorKey === undefined)
    throw new UsageError(
      'There is no operator key. Set FAREBOX_OPERATOR_KEY to that of the service.',
    )
  const base = parseBase(
    settings.operatorUrl ?? usualUrl,
    args.has('allow-insecure-http') || settings.allowInsecureHttp === 'true',
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
    throw new CommandError(
      'unreachable',
      `There is no operator listener at ${base} (${why}). Start the service with --operator-port, or set FAREBOX_OPERATOR_URL.`,
    )
  })
  const json = (await response.json().catch(() => undefined)) as
    | (Json & { readonly error?: string; readonly code?: string })
    | undefined
  if (json === undefined)
    throw new CommandError(
      'no_json',
      `${base} responded with ${response.status} and no JSON. Is it the operator listener of a service?`,
    )
  if (!response.ok)
    throw new CommandError(
      (json.code ?? 'rejected').toLowerCase(),
      json.error ?? `The service responded with ${response.status}.`,
    )
  return json
}

function parseBase(text: string, allowInsecureHttp: boolean): string {
  if (text.includes('@'))
    throw new UsageError(
      'FAREBOX_OPERATOR_URL contains a user name or a password. Remove them: the key is set separately.',
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
      `FAREBOX_OPERATOR_URL ${text} is plain HTTP to another machine, which exposes the key to the network. Use https, or pass --allow-insecure-http.`,
    )
  }
  return text.replace(/\/+$/, '')
}
