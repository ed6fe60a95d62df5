import { randomUUID } from 'node:crypto'
import type { Lazy } from '../../platform/lazy.js'
import { retryAfterOf, routeOf, type RouteParts } from '../../platform/upstream/route-parts.js'
import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import type { OnServed, UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import { TextParseError } from './text-parse-error.js'
import { textModel } from './text-model.js'
import type { ParsedText, TextListeners, TextParser } from './text-parser.js'
import { TextUpstreamError } from './text-upstream-error.js'
import { createUpstreamText, type UpstreamText } from './upstream-text.js'

/** The text parser of one upstream. */
export function textOf({ name, url, apiKey, cost, timeouts }: UpstreamSettings, send: typeof fetch): UpstreamText {
  const given = { ...(apiKey !== undefined && { apiKey }), ...(cost.header !== undefined && { costHeader: cost.header }) }
  return createUpstreamText({ name, url, ...given, timeoutMs: timeouts.firstByteMs, fetch: send })
}

/** Texts of the upstreams, or of the local parser while no upstream of text is configured. */
export function createRoutedText(pool: UpstreamPool<UpstreamText>, local: Lazy<TextParser>, parts: RouteParts): TextParser {
  const stop = new AbortController()
  const isLocal = () => pool.members().length === 0

  return {
    parse: (bytes, caller, told = {}) => (isLocal() ? local.get().parse(bytes, caller, told) : routed(bytes, told)),
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
    const { signal } = stop
    const route = routeOf(pool.members(), { work: { model: textModel, bytes: bytes.byteLength }, cost, signal }, parts)
    const key = randomUUID()
    let last: TextUpstreamError | undefined
    for (;;) {
      const attempt = await route.next()
      if ('waitMs' in attempt) throw last ?? busy(attempt.waitMs)
      if (last?.trouble !== undefined) parts.onTrouble('text', last.trouble)
      const isKeyed = attempt.settings.repeat === 'keyed'
      const accepted: OnServed = (call) => {
        const served = attempt.accepts(call)
        onServed?.(served)
      }
      try {
        const parsed = await attempt.client.parse(bytes, { signal, onServed: accepted, ...(isKeyed && { key }) })
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
