import { randomUUID } from 'node:crypto'
import type { Lazy } from '../../platform/lazy.js'
import { retryAfterOf, routeOf, serving, type RouteParts } from '../../platform/upstream/route-parts.js'
import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import { TextParseError } from './text-parse-error.js'
import type { ParsedText, TextParser } from './text-parser.js'
import { TextUpstreamError } from './text-upstream-error.js'
import { createUpstreamText, type UpstreamText } from './upstream-text.js'

/** The text parser of one upstream. */
export function textOf({ name, url, apiKey, costHeader, timeouts }: UpstreamSettings, send: typeof fetch): UpstreamText {
  const given = { ...(apiKey !== undefined && { apiKey }), ...(costHeader !== undefined && { costHeader }) }
  return createUpstreamText({ name, url, ...given, timeoutMs: timeouts.firstByteMs, fetch: send })
}

/** The model of the text parser, as the ledger names it. */
const model = 'text-parser'

/** Texts of the upstreams, or of the local parser while no upstream of text is configured. */
export function createRoutedText(pool: UpstreamPool<UpstreamText>, local: Lazy<TextParser>, parts: RouteParts): TextParser {
  const stop = new AbortController()
  const isLocal = () => pool.members().length === 0

  return {
    parse: (bytes, caller, onServed) => (isLocal() ? local.get().parse(bytes, caller) : routed(bytes, onServed)),
    load: () => local.made()?.load?.() ?? { busy: 0, waiting: 0 },
    ready: async () => {
      if (isLocal()) await local.get().ready?.()
    },
    close: async () => {
      stop.abort()
      await local.made()?.close()
    },
  }

  async function routed(bytes: Uint8Array, onServed: Parameters<TextParser['parse']>[2]): Promise<ParsedText> {
    const route = routeOf(serving(pool.members(), model), stop.signal, parts)
    const key = randomUUID()
    let last: TextUpstreamError | undefined
    for (;;) {
      const attempt = await route.next()
      if ('waitMs' in attempt) throw last ?? busy(attempt.waitMs)
      if (last?.trouble !== undefined) parts.onTrouble('text', last.trouble)
      const isKeyed = attempt.settings.repeat === 'keyed'
      try {
        const parsed = await attempt.client.parse(bytes, { signal: stop.signal, onServed, ...(isKeyed && { key }) })
        attempt.succeed()
        return parsed
      } catch (error) {
        if (!(error instanceof TextUpstreamError)) throw error
        const mayRepeat = attempt.fail(error.failure)
        if (error.failure.kind === 'refused') throw new TextParseError('corrupt', error.message)
        if (!mayRepeat) throw error
        last = error
      } finally {
        attempt.abandon()
      }
    }
  }
}

function busy(waitMs: number): TextUpstreamError {
  const failure = { kind: 'busy', mayHaveBegun: false, isTransient: true } as const
  return new TextUpstreamError('The text parser is at capacity or offline. Try again later.', { failure, ...retryAfterOf(waitMs) })
}
