import { describe, expect, it } from 'vitest'
import { LocalBackendError } from '../local-backend-error.js'
import {
  createLocalSpeech,
  type LocalSpeechPart,
  type LocalSpeechRequest,
  splitSentences,
} from './local-speech.js'
import type { SpeechChunk, SpeechThread } from './speech-thread.js'
import { maxOpenEncoders, scaleWaits } from './speech-turns.js'
import fc from 'fast-check'

const { patienceMs, waitMs } = scaleWaits(1)

const request: LocalSpeechRequest = {
  text: 'One. Two. Three.',
  caller: 'a',
  voice: 'af_sky',
  format: 'mp3',
  speed: 1,
  streaming: true,
}

/** A synthesizer that takes a stated time for each sentence, on a clock that it moves itself. */
function createTimedSpeech(msPerSentence = 1_000) {
  const clock = { ms: 0 }
  const left = new Map<number, number>()
  let held: Promise<void> | undefined
  const thread: SpeechThread = {
    next: async (id, options): Promise<SpeechChunk> => {
      await held
      clock.ms += msPerSentence
      const count = (left.get(id) ?? options?.sentences.length ?? 0) - 1
      left.set(id, count)
      if (count === 0) left.delete(id)
      return { bytes: new Uint8Array(1), isLast: count === 0 }
    },
    drop: (id) => void left.delete(id),
    ready: async () => undefined,
    close: async () => undefined,
  }
  const hold = () => {
    let go = () => undefined as void
    held = new Promise((resolve) => (go = resolve))
    return () => go()
  }
  return {
    thread,
    clock,
    left,
    hold,
    speech: createLocalSpeech({ thread, now: () => clock.ms, rate: 2_000 / waitMs }),
  }
}

const begin = (
  speech: ReturnType<typeof createLocalSpeech>,
  changes: Partial<LocalSpeechRequest> = {},
  signal = new AbortController().signal,
) => speech.speak({ ...request, ...changes }, signal)[Symbol.asyncIterator]()

async function readAll(parts: AsyncIterable<LocalSpeechPart>): Promise<number[]> {
  const made: number[] = []
  for await (const part of parts) made.push(part.made)
  return made
}

const flushPromises = () => new Promise((resolve) => setImmediate(resolve))

describe('local speech', () => {
  it('counts the characters of each sentence when it is made', async () => {
    expect(
      await readAll(createTimedSpeech().speech.speak(request, new AbortController().signal)),
    ).toEqual([5, 10, 16])
  })

  it('makes a sentence when it is asked for, and not before', async () => {
    const { speech, clock } = createTimedSpeech()
    const text = begin(speech)
    await text.next()
    for (let turn = 0; turn < 10; turn++) await flushPromises()
    expect(clock.ms).toBe(1_000)
    await text.next()
    expect(clock.ms).toBe(2_000)
  })

  it('speaks for others, however many responses are unread', async () => {
    const { speech, clock, left } = createTimedSpeech(100)
    const unread = Array.from({ length: 100 }, (_, index) =>
      begin(speech, { caller: `unread ${index}` }),
    )
    for (const text of unread) {
      await text.next()
      clock.ms += patienceMs
    }
    expect(left.size).toBe(maxOpenEncoders)
    expect(
      await readAll(speech.speak({ ...request, caller: 'another' }, new AbortController().signal)),
    ).toEqual([5, 10, 16])
    const outcomes = await Promise.allSettled(unread.map((text) => text.next()))
    const dropped = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map(({ reason }) => reason as LocalBackendError)
    expect(dropped).toHaveLength(100 - maxOpenEncoders + 1)
    expect(new Set(dropped.map(({ code }) => code))).toEqual(new Set(['unread']))
  })

  it('finishes the current sentence when its caller disconnects, and drops the others', async () => {
    const { speech, hold } = createTimedSpeech()
    const go = hold()
    const caller = new AbortController()
    const begun = begin(speech, {}, caller.signal).next()
    const waits = begin(speech, {}, caller.signal).next()
    await flushPromises()
    caller.abort()
    expect((await waits).done).toBe(true)
    go()
    expect((await begun).value).toMatchObject({ made: 5 })
  })

  it('frees the encoder of a text that is left', async () => {
    const { speech, left } = createTimedSpeech()
    const text = begin(speech)
    await text.next()
    expect(left.size).toBe(1)
    await text.return?.(undefined)
    expect(left.size).toBe(0)
  })

  const long = { text: 'This sentence is about trams. '.repeat(136), streaming: false }

  it('takes six texts of full length of one caller on a slow machine, and begins each before a client gives up', async () => {
    const slow = createTimedSpeech(5_000)
    const speech = createLocalSpeech({
      thread: slow.thread,
      now: () => slow.clock.ms,
      rate: 0.03,
    })
    const began = Array.from({ length: 6 }, async () => {
      const text = begin(speech, long)
      const first = await text.next()
      return { first, ms: slow.clock.ms, text }
    })
    const texts = await Promise.all(began)
    for (const { first, ms } of texts) {
      expect(first.value).toMatchObject({ bytes: new Uint8Array(1) })
      expect(ms).toBeLessThan(60_000)
    }
    await Promise.all(texts.map(async ({ text }) => text.return?.(undefined)))
  })

  it('begins the text of another caller before the second of a caller with many', async () => {
    const { speech, hold } = createTimedSpeech()
    const go = hold()
    const order: string[] = []
    const say = async (caller: string) => {
      await begin(speech, { ...long, caller }).next()
      order.push(caller)
    }
    const many = Array.from({ length: 6 }, () => say('many'))
    await flushPromises()
    const one = say('one')
    go()
    await Promise.all([...many, one])
    expect(order.indexOf('one')).toBe(1)
  })

  it('rejects input that no client would wait for with a retry time, and accepts any when idle', async () => {
    const { speech, hold } = createTimedSpeech()
    expect(() => speech.rejectLate({ ...request, ...long })).not.toThrow()
    const go = hold()
    const taken: Promise<unknown>[] = []
    let rejected: unknown
    while (rejected === undefined && taken.length < 1_000) {
      try {
        speech.rejectLate({ ...request, ...long })
        taken.push(begin(speech, long).next())
      } catch (error) {
        rejected = error
      }
    }
    expect(taken.length).toBeGreaterThan(6)
    expect(rejected).toBeInstanceOf(LocalBackendError)
    expect((rejected as LocalBackendError).message).toMatch(
      /too many texts to speak this one in time. Try again in \d+ s/,
    )
    await expect(begin(speech, { ...long, caller: 'b' }).next()).rejects.toMatchObject({
      code: 'busy',
    })
    go()
    await speech.close()
    await Promise.allSettled(taken)
  })
})

const countCharacters = (text: string) =>
  splitSentences(text).reduce((sum, { characters }) => sum + characters, 0)

it('stand for every character of the text, and are never many at once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 800 }), (text) => {
      expect(countCharacters(text)).toBe(Array.from(text).length)
      for (const sentence of splitSentences(text))
        expect(sentence.text.length).toBeLessThanOrEqual(240)
    }),
  )
})

it('count the spaces and signs between them', () => {
  expect(splitSentences('One. Two!\n…\nThree?')).toEqual([
    { text: 'One.', characters: 5 },
    { text: 'Two!', characters: 7 },
    { text: 'Three?', characters: 6 },
  ])
})

it('are silence when nothing can be spoken', () => {
  expect(splitSentences('🚋 …')).toEqual([{ text: '', characters: 3 }])
})

it('cut a long sentence into parts that share its characters', () => {
  const parts = splitSentences('tram '.repeat(100))
  expect(parts.map(({ text }) => text.length)).toEqual([239, 239, 19])
  expect(countCharacters('tram '.repeat(100))).toBe(500)
})
