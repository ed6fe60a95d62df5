import type { Lazy } from '../../platform/lazy.js'
import {
  toRetryAfter,
  through,
  type RouteParts,
  type UpstreamCall,
} from '../../platform/upstream/route-parts.js'
import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import { TextParseError } from './text-errors.js'
import { textModel } from './text-model.js'
import type { ParsedText, TextListeners, TextParser } from './text-parser.js'
import { TextUpstreamError } from './text-errors.js'
import { createUpstreamText, type UpstreamText } from './upstream-text.js'

/** The text parser of one upstream. */
export function openText(
  { name, url, apiKey, cost, timeouts }: UpstreamSettings,
  send: typeof fetch,
): UpstreamText {
  const given = {
    ...(apiKey !== undefined && { apiKey }),
    ...(cost.header !== undefined && { costHeader: cost.header }),
  }
  return createUpstreamText({ name, url, ...given, timeoutMs: timeouts.firstByteMs, fetch: send })
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
      isLocal() ? local.get().parse(bytes, caller, told) : routed(bytes, told),
    load: () => local.made()?.load?.() ?? { busy: 0, waiting: 0 },
    ready: async () => {
      if (isLocal()) await local.get().ready?.()
    },
    close: async () => {
      stop.abort()
      await local.made()?.close()
    },
  }

  async function routed(bytes: Uint8Array, { onServed, cost }: TextListeners): Promise<ParsedText> {
    const work = { model: textModel, bytes: bytes.byteLength }
    const ask = async function* (client: UpstreamText, call: UpstreamCall) {
      yield await client.parse(bytes, call)
    }
    const asked = {
      capability: 'text',
      work,
      cost,
      signal: stop.signal,
      onServed,
      ask,
      isDelivery: () => false,
      offline: busy,
    } as const
    let parsed: ParsedText | undefined
    try {
      for await (const text of through(pool, asked, parts)) parsed = text
    } catch (error) {
      if (error instanceof TextUpstreamError && error.failure?.kind === 'refused')
        throw new TextParseError('corrupt', error.message)
      throw error
    }
    if (!parsed) throw busy(Infinity)
    return parsed
  }
}

function busy(waitMs: number): TextUpstreamError {
  const failure = { kind: 'busy', mayHaveBegun: false, isTransient: true } as const
  return new TextUpstreamError('The text parser is at capacity or offline. Try again later.', {
    failure,
    ...toRetryAfter(waitMs),
  })
}
