import { readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/unknown-value.js'
import type { Lazy } from '../../platform/lazy.js'
import { createTracedFetch } from '../../platform/telemetry/spans.js'
import {
  toRetryAfter,
  routeCall,
  type RouteParts,
  type UpstreamCall,
} from '../../platform/upstream/upstream-route.js'
import {
  readFetchFailure,
  toUpstreamFailure,
  lostResponse,
  type UpstreamFailure,
  readUpstreamFault,
} from '../../platform/upstream/upstream-failure.js'
import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import {
  type UpstreamSettings,
  type OnServed,
  removeTrailingSlashes,
} from '../../platform/upstream/upstream-settings.js'
import { readCost } from '../../platform/upstream/work-cost.js'
import { textModel } from '../models/catalogue.js'
import { TextParseError, TextUpstreamError } from './text-errors.js'
import type { ParsedText, TextListeners, TextParser, ParseWarning } from './text-parser.js'

/** The text parser of one upstream. */
export function openText(
  { name, url, apiKey, cost, timeouts }: UpstreamSettings,
  send: typeof fetch,
): UpstreamText {
  const settings = {
    ...(apiKey !== undefined && { apiKey }),
    ...(cost.header !== undefined && { costHeader: cost.header }),
  }
  return createUpstreamText({
    name,
    url,
    ...settings,
    timeoutMs: timeouts.firstByteMs,
    fetch: send,
  })
}

/** Texts of the upstreams, or of the local parser while no upstream of text is configured. */
export function createRoutedText(
  pool: UpstreamPool<UpstreamText>,
  local: Lazy<TextParser>,
  parts: RouteParts,
): TextParser {
  const stop = new AbortController()
  const isLocal = () => pool.members().length === 0

  return {
    parse: (bytes, caller, told = {}) =>
      isLocal() ? local.get().parse(bytes, caller, told) : routeText(bytes, told),
    load: () => local.made()?.load?.() ?? { busy: 0, waiting: 0 },
    ready: async () => {
      if (isLocal()) await local.get().ready?.()
    },
    close: async () => {
      stop.abort()
      await local.made()?.close()
    },
  }

  async function routeText(
    bytes: Uint8Array,
    { onServed, cost }: TextListeners,
  ): Promise<ParsedText> {
    const work = { model: textModel, bytes: bytes.byteLength }
    const ask = async function* (client: UpstreamText, call: UpstreamCall) {
      yield await client.parse(bytes, call)
    }
    const body = {
      capability: 'text',
      work,
      cost,
      signal: stop.signal,
      onServed,
      ask,
      isDelivery: () => false,
      offline: createBusyError,
    } as const
    let parsed: ParsedText | undefined
    try {
      for await (const text of routeCall(pool, body, parts)) parsed = text
    } catch (error) {
      if (error instanceof TextUpstreamError && error.failure?.kind === 'rejected')
        throw new TextParseError('corrupt', error.message)
      throw error
    }
    if (!parsed) throw createBusyError(Infinity)
    return parsed
  }
}

function createBusyError(waitMs: number): TextUpstreamError {
  const failure = { kind: 'busy', mayHaveBegun: false, isTransient: true } as const
  return new TextUpstreamError('The text parser is at capacity or offline. Try again later.', {
    failure,
    ...toRetryAfter(waitMs),
  })
}

type UpstreamTextOptions = {
  /** Base URL of `/augment/text-parser` of this contract, such as `https://text.example/api/v1`. */
  readonly url: string
  /** Bearer token for this upstream. */
  readonly apiKey?: string
  /** In the log. */
  readonly name: string
  /** For one document. */
  readonly timeoutMs: number
  /** A response header with the cost in USD. */
  readonly costHeader?: string
  readonly fetch: typeof fetch
}

/** Texts of one upstream. Its errors are TextUpstreamErrors. */
type UpstreamText = {
  readonly parse: (
    bytes: Uint8Array,
    options: {
      readonly key?: string
      readonly signal: AbortSignal
      readonly onServed?: OnServed | undefined
    },
  ) => Promise<ParsedText>
}

/** A text of 25 MB in JSON, each of whose characters may be escaped. */
const maxBytes = 160 * 1024 * 1024

function createUpstreamText(options: UpstreamTextOptions): UpstreamText {
  const { apiKey, name, timeoutMs, costHeader } = options
  const send = createTracedFetch(options.fetch)
  const url = `${removeTrailingSlashes(options.url)}/augment/text-parser`
  const { host } = new URL(url)
  const failed = (what: string, failure: UpstreamFailure = lostResponse) =>
    new TextUpstreamError('The text parser does not respond at the moment. Try again later.', {
      failure,
      trouble: `Text: ${name} ${what}`,
    })

  return {
    parse: async (bytes, { key, signal, onServed }) => {
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(bytes)]), 'document')
      form.set('response_format', 'json')
      const headers = {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(key !== undefined && { 'idempotency-key': key }),
      }
      const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const response = await send(url, {
        method: 'POST',
        headers,
        body: form,
        signal: within,
        redirect: 'error',
      }).catch((error: unknown) => {
        throw failed('could not be reached, or did not respond in time', readFetchFailure(error))
      })
      await check(response)
      onServed?.({
        capability: 'text',
        upstream: name,
        host,
        ...readCost(response.headers, costHeader),
      })
      return readText(response)
    },
  }

  async function check(response: Response): Promise<void> {
    const fault = await readUpstreamFault(response, apiKey)
    if (!fault) return
    const failure = toUpstreamFailure(fault)
    if (fault.kind === 'rejected')
      throw new TextUpstreamError(`The file cannot be read. ${fault.reason}`.trim(), { failure })
    if (fault.kind === 'failed') throw failed(`returned ${fault.status}; check its key`, failure)
    const { status, retryAfterSeconds } = fault
    const trouble = status === 429 ? undefined : `Text: ${name} returned ${status}`
    throw new TextUpstreamError('The text parser is at capacity. Try again later.', {
      failure,
      retryAfterSeconds,
      trouble,
    })
  }

  async function readText(response: Response): Promise<ParsedText> {
    const bytes = await readBounded(response.body, maxBytes).catch((error: unknown) => {
      throw failed('cut off its response', { ...readFetchFailure(error), mayHaveBegun: true })
    })
    if (!bytes) throw failed('sent text that is too large')
    const { text, tokens, warnings } = parseRecord(bytes)
    if (
      typeof text !== 'string' ||
      typeof tokens !== 'number' ||
      !Number.isSafeInteger(tokens) ||
      tokens < 0
    )
      throw failed('sent no text with its tokens')
    const known = readWarnings(warnings)
    return { text, tokens, ...(known.length > 0 && { warnings: known }) }
  }
}

function parseRecord(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** An upstream may be older than the field, so what does not fit is left out. */
function readWarnings(value: unknown): readonly ParseWarning[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : []
  return entries.flatMap((entry) => {
    const { code, count } = isRecord(entry) ? entry : {}
    const isSound = typeof code === 'string' && /^[a-z_]{1,64}$/.test(code)
    return isSound && typeof count === 'number' && Number.isSafeInteger(count) && count > 0
      ? [{ code, count }]
      : []
  })
}
