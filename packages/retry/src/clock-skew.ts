/**
 * How far the server's clock is ahead of ours at least, in milliseconds (below zero when it is behind), by the Date of an answer that came
 * at `received`. Date counts whole seconds and is as old as the answer's way here, so that the truth lies between this and about a second
 * more. A moment of the server's that is moved to our clock with the least skew is never too early.
 */
export function leastSkew(headers: Headers, received: number): number | undefined {
  const skew = (headers.has('age') ? NaN : (httpDate(headers.get('date')) ?? NaN)) - received
  // a difference of more than a day is no skew, but one of the two does not tell the time at all
  return Math.abs(skew) < 86_400_000 ? skew : undefined
}

/** The best that is known after this answer; 0 while no answer had a Date. */
export type SkewLearner = (headers: Headers, sent: number, received: number) => number

/** Learns the least skew from many answers: the best of two minutes, from which a clock that runs a little fast cannot run away. */
export function skewLearner(memoryMs = 120_000): SkewLearner {
  let low = -Infinity
  let high = Infinity
  let since = -Infinity
  return (headers, sent, received) => {
    const least = leastSkew(headers, received)
    if (least !== undefined) {
      const most = least + 1000 + received - sent
      // old news, or one of the clocks was set
      const anew = received - since > memoryMs || least > high || most < low
      low = anew ? least : Math.max(low, least)
      high = anew ? most : Math.min(high, most)
      since = anew ? received : since
    }
    return low === -Infinity ? 0 : low
  }
}

/** One of the three forms of RFC 9110, section 5.6.7. `Date.parse` alone would take almost anything, and the third form as local time. */
export function httpDate(value: string | null): number | undefined {
  const text = value?.trim() ?? ''
  const time = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN
  return Number.isNaN(time) ? undefined : time
}
