import type { Random } from '@farebox/faults/random'

/** What the mock upstream does for one call. The prompt of the call is this as JSON. */
export type Script = {
  readonly id: string
  /** Pieces of a token each that it gives before its end, but for the limit of the request. */
  readonly pieces: number
  readonly paceMs: number
  readonly end: End
  readonly usage: Usage
  /** Tokens of the prompt by its own count, which it reports. */
  readonly promptTokens: number
}

/** The limit of the model for one completion. */
export const maxTokens = 100

/** Where usage is reported: in the last event, in every event, or nowhere. */
export type Usage = 'at the end' | 'in each event' | 'none'

/** Ends of a whole completion. */
const wholeEnds = ['complete', 'complete', 'complete', 'without [DONE]'] as const
const faultyEnds = [
  'error event',
  'broken connection',
  'without finish_reason',
  'status 500',
] as const
export type End = (typeof wholeEnds)[number] | (typeof faultyEnds)[number] | 'stalls'

/** When a client leaves by itself. */
export type Leaving =
  /** So many milliseconds after it has sent the request. */
  | { readonly afterMs: number }
  /** Once it has so many tokens. */
  | { readonly afterTokens: number }
  /** Once the upstream has given all pieces and waits. */
  | { readonly onStall: true }

export type Plan = {
  readonly script: Script
  readonly isStreamed: boolean
  /** The client reads to the end without it. */
  readonly leaving?: Leaving
  readonly maxTokens?: number
}

/** What one call of a round does. */
export function drawPlan(id: string, random: Random): Plan {
  const isStreamed = random.happens(0.7)
  const pieces = 20 + random.below(80)
  const script = {
    id,
    pieces,
    paceMs: 5 + random.below(25),
    usage: random.pick<Usage>(['at the end', 'at the end', 'in each event', 'none']),
    promptTokens: 40 + random.below(60),
    end: random.pick<End>(wholeEnds),
  }
  const limited = random.happens(0.5) ? { maxTokens: 50 + random.below(maxTokens - 50) } : {}
  const chance = random.below(100)
  if (chance < 45) return { script, isStreamed, ...limited }
  if (chance < 65)
    return { script: { ...script, end: random.pick<End>(faultyEnds) }, isStreamed, ...limited }
  if (chance < 85)
    return { script: { ...script, end: 'stalls' }, isStreamed, leaving: { onStall: true } }
  if (chance < 95)
    return { script, isStreamed: true, leaving: { afterTokens: 1 + random.below(pieces) } }
  return { script, isStreamed, leaving: { afterMs: random.below(150) } }
}
