import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  choose as chooseAt,
  estimateLateness,
  maxOpenEncoders,
  scaleWaits,
  type Turn,
} from './speech-turns.js'

const waits = scaleWaits(1)
const { characterMs, patienceMs, waitMs } = waits
const choose = <T extends Turn>(texts: Iterable<T>, now: number) => chooseAt(texts, now, waits)

const createTurn = (changes: Partial<Turn> = {}): Turn => ({
  caller: 'a',
  efforts: [100, 100, 100],
  isWhole: false,
  sentences: 0,
  begun: false,
  state: 'waits',
  since: 0,
  ...changes,
})

describe('the next sentence', () => {
  it('is the one that was asked for first', () => {
    const [late, early] = [createTurn({ since: 20 }), createTurn({ since: 10 })]
    expect(choose([late, early], 30)).toEqual({ next: early })
  })

  it('of a whole text comes at the pace of that text, so that later texts come between', () => {
    const whole = createTurn({ isWhole: true, sentences: 2, begun: true })
    const [before, after] = [
      createTurn({ since: 200 * characterMs - 1 }),
      createTurn({ since: 200 * characterMs + 1 }),
    ]
    expect(choose([whole, before], 201 * characterMs).next).toBe(before)
    expect(choose([whole, after], 201 * characterMs).next).toBe(whole)
  })

  it('is of a new text while there are encoders, and else of one that has one', () => {
    const begun = Array.from({ length: maxOpenEncoders }, (_, index) =>
      createTurn({ begun: true, since: 100 + index }),
    )
    const added = createTurn({ since: 1 })
    expect(choose([...begun.slice(1), added], 200).next).toBe(added)
    expect(choose([...begun, added], 200)).toEqual({ next: begun[0] })
  })

  it('takes the encoder of the text that was longest unread, and of none that is read', () => {
    const unread = Array.from({ length: maxOpenEncoders }, (_, index) =>
      createTurn({ begun: true, state: 'sent', since: 100 + index }),
    )
    const added = createTurn({ since: 200 })
    expect(choose([...unread, added], 200)).toEqual({ againInMs: patienceMs - 100 })
    expect(choose([...unread, added], 100 + patienceMs)).toEqual({
      next: added,
      dropped: unread[0],
    })
  })
})

/** Speaks texts that come over time, at a rate, and gives the time that each took. */
function simulateTurns(
  coming: readonly {
    readonly at: number
    readonly efforts: readonly number[]
    readonly isWhole: boolean
  }[],
  rate: number,
) {
  const texts: (Turn & { readonly came: number })[] = []
  const ended: { readonly isWhole: boolean; readonly ms: number }[] = []
  let rejected = 0
  let now = 0
  let next = 0
  for (;;) {
    for (; next < coming.length && (coming[next]?.at ?? 0) <= now; next++) {
      const { at, efforts, isWhole } = coming[next] ?? { at: 0, efforts: [], isWhole: true }
      const added = { ...createTurn({ efforts, isWhole, since: at }), came: at }
      if (texts.length > 0 && estimateLateness(added, texts, rate, now, waits) > 0) rejected++
      else texts.push(added)
    }
    const text = choose(texts, now).next
    if (text) {
      now += (text.efforts[text.sentences] ?? 0) / rate
      text.sentences++
      text.begun = true
      // its reader asks for more at once
      if (!text.isWhole) text.since = now
      if (text.sentences < text.efforts.length) continue
      texts.splice(texts.indexOf(text), 1)
      ended.push({ isWhole: text.isWhole, ms: now - text.came })
    } else if (next < coming.length) now = coming[next]?.at ?? now
    else return { ended, rejected }
  }
}

describe('a whole text that is taken', () => {
  const rate = 7_500 / waitMs
  const full = Array.from({ length: 41 }, () => 140)

  it('is ready within twice the wait when six of full length come at once, and the others are rejected', () => {
    const { ended, rejected } = simulateTurns(
      Array.from({ length: 6 }, () => ({ at: 0, efforts: full, isWhole: true })),
      rate,
    )
    expect(ended.length + rejected).toBe(6)
    expect(ended.length).toBeGreaterThanOrEqual(2)
    for (const { ms } of ended) expect(ms).toBeLessThanOrEqual(2 * waitMs)
  })

  it('is ready within twice the wait and two sentences, whatever whole texts come after it', () => {
    const text = fc.record({
      at: fc.nat({ max: 5 * waitMs }),
      efforts: fc.array(fc.integer({ min: 41, max: 280 }), { minLength: 1, maxLength: 41 }),
      isWhole: fc.constant(true),
    })
    fc.assert(
      fc.property(fc.array(text, { minLength: 5, maxLength: 60 }), (texts) => {
        const { ended } = simulateTurns(
          texts.toSorted((one, other) => one.at - other.at),
          rate,
        )
        for (const { ms } of ended) expect(ms).toBeLessThanOrEqual(2 * waitMs + 2 * (280 / rate))
      }),
    )
  })

  it('does not wait for all of a text that is read as it is made', () => {
    const { ended } = simulateTurns(
      [
        ...Array.from({ length: 4 }, () => ({ at: 0, efforts: full, isWhole: false })),
        { at: 1_000, efforts: [60], isWhole: true },
      ],
      rate,
    )
    expect(ended[0]?.isWhole).toBe(true)
    // the rest of one sentence, one of each other text, and its own
    expect(ended[0]?.ms).toBeLessThanOrEqual((4 * 140 + 60) / rate)
  })
})
