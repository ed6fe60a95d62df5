/** A speech request in progress. Times are in milliseconds that never go back. */
export type Turn = {
  readonly caller: string
  /** The effort of each sentence. */
  readonly efforts: readonly number[]
  /** Whether nothing is sent before the last sentence. */
  readonly isWhole: boolean
  /** Finished sentences. */
  sentences: number
  /** Whether the thread holds an encoder for it. */
  begun: boolean
  /** `sent`: its reader has not asked for more yet. */
  state: 'waits' | 'speaks' | 'sent'
  /** When a sentence of it was last begun. */
  servedAt?: number
  /** When a whole text came, or a streamed one was last asked for or sent. */
  since: number
}

/** Texts with an encoder, which takes 12 MB in most formats. */
export const maxOpenEncoders = 16
/** The maximum effort of a text that is sent as a complete file. */
export const maxUnsplit = 1_000

/** How long texts and their readers wait, in milliseconds. */
export type Waits = {
  /** A text whose reader has not asked for more for this long gives its encoder to another. */
  readonly patienceMs: number
  /** The longest wait of a whole text for a turn that is promised. */
  readonly waitMs: number
  /**
   * The same of a text that is sent as it is made. A client of ours waits 60 s for the first byte.
   */
  readonly firstByteMs: number
  /** A whole text is spoken within this time, and a wait. */
  readonly wholeMs: number
  /** For one character, of a shorter text. */
  readonly characterMs: number
}

/** The waits of a machine that is `scale` times slower than usual. */
export function scaleWaits(scale: number): Waits {
  return {
    patienceMs: 5_000 * scale,
    waitMs: 25_000 * scale,
    firstByteMs: 50_000 * scale,
    wholeMs: 25_000 * scale,
    characterMs: 5 * scale,
  }
}

/** The effort of a sentence: its characters, by the pace, plus 40. */
export function estimateEffort(characters: number, speed: number): number {
  return characters / speed + 40
}

export type Choice<T> = {
  /** Speaks next. */
  readonly next?: T
  /** Must give its encoder to `next`. */
  readonly dropped?: T
  /** When to choose again, unless something happens before. */
  readonly againInMs?: number
}

/**
 * Callers take turns, and the sentences of one come in the order in which they were asked for. All
 * of a whole text is asked for at once, but counts as if it were asked for evenly over its time, so
 * that others come between.
 */
export function choose<T extends Turn>(texts: Iterable<T>, now: number, waits: Waits): Choice<T> {
  const all = [...texts]
  const waiting = orderWaiting(all, waits)
  const [next] = waiting
  if (!next || next.begun || all.filter(({ begun }) => begun).length < maxOpenEncoders)
    return next ? { next } : {}
  const [idle] = all
    .filter(({ begun, state, isWhole }) => begun && state === 'sent' && !isWhole)
    .sort((one, other) => one.since - other.since)
  const leftMs = idle ? idle.since + waits.patienceMs - now : Infinity
  if (idle && leftMs <= 0) return { next, dropped: idle }
  const going = waiting.find(({ begun }) => begun)
  return { ...(going && { next: going }), ...(idle && { againInMs: leftMs }) }
}

/** The waiting sentences, first those of the caller who was served longest ago. */
function orderWaiting<T extends Turn>(texts: readonly T[], waits: Waits): readonly T[] {
  const served = new Map<string, number>()
  for (const { caller, servedAt = -Infinity } of texts)
    served.set(caller, Math.max(served.get(caller) ?? -Infinity, servedAt))
  const compareTimes = (one: number, other: number) => (one === other ? 0 : one - other)
  return texts
    .filter(({ state }) => state === 'waits')
    .sort(
      (one, other) =>
        compareTimes(served.get(one.caller) ?? 0, served.get(other.caller) ?? 0) ||
        estimateRequestTime(one, waits) - estimateRequestTime(other, waits),
    )
}

/**
 * By how many milliseconds a text would be late, or make others late, at so much effort a
 * millisecond. All are in time when it is not above 0: a whole text within its time and a wait,
 * each sentence of others within `firstByteMs`. Those that are late without it do not count.
 */
export function estimateLateness(
  newTurn: Turn,
  texts: readonly Turn[],
  rate: number,
  now: number,
  waits: Waits,
): number {
  const before = texts.filter(({ state }) => state !== 'sent')
  const after = [...before, newTurn]
  const computeLateness = (end: number, all: readonly Turn[], wait: number) =>
    sum(all.map((text) => estimateRequestedEffort(text, end, waits))) / rate - (end - now) - wait
  const lateness = after.map((text) => {
    const end = Math.max(
      now,
      estimateRequestTime(text, waits) +
        (text.isWhole ? sumRemainingEffort(text) * computeMsPerEffort(text, waits) : 0),
    )
    const wait = text.isWhole ? waits.waitMs : waits.firstByteMs
    return text !== newTurn && computeLateness(end, before, wait) > 0
      ? -Infinity
      : computeLateness(end, after, wait)
  })
  return Math.max(...lateness)
}

function estimateRequestTime(text: Turn, waits: Waits): number {
  return text.isWhole
    ? text.since + sum(text.efforts.slice(0, text.sentences)) * computeMsPerEffort(text, waits)
    : text.since
}

/** Effort that is asked for until a time. */
function estimateRequestedEffort(text: Turn, time: number, waits: Waits): number {
  return text.isWhole
    ? Math.max(
        0,
        Math.min(
          sumRemainingEffort(text),
          (time - estimateRequestTime(text, waits)) / computeMsPerEffort(text, waits),
        ),
      )
    : sumRemainingEffort(text)
}

/** Of the whole text, or of the one sentence that was asked for. */
function sumRemainingEffort({ efforts, sentences, isWhole }: Turn): number {
  return isWhole ? sum(efforts.slice(sentences)) : (efforts[sentences] ?? 0)
}

/** Milliseconds for one unit of effort. */
function computeMsPerEffort({ efforts }: Turn, { characterMs, wholeMs }: Waits): number {
  return Math.min(characterMs, wholeMs / sum(efforts))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
