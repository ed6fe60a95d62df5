/**
 * How far the server's clock is ahead of ours at least, in milliseconds (below zero when it is behind), by the Date of an answer that came
 * at `received`. Date counts whole seconds and is as old as the answer's way here, so that the truth lies between this and about a second
 * more. A moment of the server's that is moved to our clock with the least skew is never too early.
 */
export function leastSkew(headers: Headers, received: number): number | undefined {
  const date = headers.has('age') ? undefined : httpDate(headers.get('date'))
  const skew = date === undefined ? undefined : date - received
  return skew !== undefined && Math.abs(skew) < absurd ? skew : undefined
}

/** A difference of more than a day is no skew, but one of the two that does not tell the time at all. */
const absurd = 86_400_000

export type SkewLearner = {
  /** The best that is known after this answer; 0 while no answer had a Date. */
  readonly learn: (headers: Headers, sent: number, received: number) => number
}

/** Learns the least skew from many answers: the best of two minutes, from which a clock that runs a little fast cannot run away. */
export function skewLearner(memoryMs = 120_000): SkewLearner {
  let low = -Infinity
  let high = Infinity
  let since = -Infinity
  return {
    learn: (headers, sent, received) => {
      const least = leastSkew(headers, received)
      if (least !== undefined) {
        const most = least + 1000 + received - sent
        // old news, or one of the clocks was set
        if (received - since > memoryMs || least > high || most < low) {
          low = -Infinity
          high = Infinity
          since = received
        }
        low = Math.max(low, least)
        high = Math.min(high, most)
      }
      return low === -Infinity ? 0 : low
    },
  }
}

/** One of the three forms of RFC 9110, section 5.6.7. `Date.parse` alone would take almost anything, and the third form as local time. */
export function httpDate(value: string | null): number | undefined {
  const text = value?.trim() ?? ''
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}
