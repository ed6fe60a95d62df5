import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import type * as countTokensModule from '../../../../../packages/service/src/domain/text/count-tokens.js'
import { root } from '../measure.js'
import type { Call } from './call.js'
import type { UpstreamRecord } from './upstream-process.js'

/** Micro-USD for a million tokens: fractions of a micro-USD are usual. */
export const pricePerMillion = { input: 1_300_000n, output: 41_700_000n }

/** The least and the most that a call may cost, in micro-USD. */
export type CostBounds = { readonly least: bigint; readonly most: bigint }

const nothing: CostBounds = { least: 0n, most: 0n }

const { countTokens } = (await import(
  pathToFileURL(join(root, 'packages/service/dist/domain/text/count-tokens.js')).href
)) as typeof countTokensModule

/**
 * What a call may cost: exactly what was generated if its client read all of it; nothing for
 * rejected calls and upstream faults; and for a client that left, at least what it received and at
 * most what the upstream gave until the cancel took effect.
 */
export function computeBounds(call: Call, given: UpstreamRecord | undefined): CostBounds {
  const { plan, outcome, received } = call
  const { usage, promptTokens, end } = plan.script
  const written = given?.written ?? 0
  const counted = 3 + 4 + countTokens(call.prompt)
  const price = (prompt: number, tokens: number) => (tokens === 0 ? 0n : sum(prompt, tokens))
  if (outcome === 'rejected' || outcome === 'failed') return nothing
  if (outcome === 'whole') {
    const owed = price(usage === 'none' ? counted : promptTokens, written)
    return { least: owed, most: owed }
  }
  // the count of the upstream is known with its report
  const prompts =
    usage === 'none' || (usage === 'at the end' && end === 'stalls')
      ? [counted]
      : usage === 'in each event'
        ? [promptTokens]
        : [counted, promptTokens]
  const isFaulty = end !== 'complete' && end !== 'without [DONE]' && end !== 'stalls'
  // a client that leaves while the upstream waits gets all of it, streamed or not
  const isStalled = plan.leaving !== undefined && 'onStall' in plan.leaving
  const delivered = outcome === 'cut' || isFaulty ? 0 : isStalled ? written : received
  return {
    least: price(Math.min(...prompts), delivered),
    most: price(Math.max(...prompts), written),
  }
}

/** An exact sum, rounded up to a micro-USD once. */
function sum(promptTokens: number, completionTokens: number): bigint {
  const { input, output } = pricePerMillion
  return (BigInt(promptTokens) * input + BigInt(completionTokens) * output + 999_999n) / 1_000_000n
}
