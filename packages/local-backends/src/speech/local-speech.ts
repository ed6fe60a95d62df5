import type { SpeechFormat } from '@farebox/types'
import { modelVoices } from '@farebox/types/operations'
import { LocalBackendError } from '../local-backend-error.js'
import type { FliteVoice } from './speak.js'
import { createSpeechThread, type SpeechChunk, type SpeechThread } from './speech-thread.js'
import {
  choose,
  estimateEffort,
  estimateLateness,
  maxUnsplit,
  scaleWaits,
  type Turn,
} from './speech-turns.js'

/** A text to speak, with all defaults. */
export type LocalSpeechRequest = {
  readonly text: string
  /** Who pays, for fair shares. */
  readonly caller: string
  readonly voice: string
  readonly format: SpeechFormat
  /** 1 is the pace of the voice. The pitch does not change. */
  readonly speed: number
  /** Sentence by sentence. Otherwise one whole file. */
  readonly streaming: boolean
}

/** The next part of the audio. */
export type LocalSpeechPart = {
  /** Of the format. Empty when a part of the text was made that has no bytes yet. */
  readonly bytes: Uint8Array
  /** Characters (code points) of the text that are made by now, from its beginning. */
  readonly made: number
}

export type LocalSpeech = {
  /** Names the synthesizer and the voice that speaks. */
  readonly describe: (request: Pick<LocalSpeechRequest, 'voice'>) => string
  /** Throws a LocalBackendError `busy` for a text that would not be spoken in time. */
  readonly rejectLate: (request: Omit<LocalSpeechRequest, 'voice'>) => void
  /**
   * The audio. Each part is made when the consumer asks for it, so that an unread text does not
   * delay others. Ends early when the signal aborts, with a part for all that was made. Throws a
   * LocalBackendError.
   */
  readonly speak: (
    request: LocalSpeechRequest,
    signal: AbortSignal,
  ) => AsyncIterable<LocalSpeechPart>
  /** Sentences that are spoken and that wait. */
  readonly load: () => { readonly busy: number; readonly waiting: number }
  /** Rejects when the synthesizer does not start. */
  readonly ready: () => Promise<void>
  readonly close: () => Promise<void>
}

export type LocalSpeechOptions = {
  /** Default: a thread of its own. */
  readonly thread?: SpeechThread
  /** How many times slower than usual this machine is. Default: 1. */
  readonly timeoutScale?: number
  /** Milliseconds that never go back. */
  readonly now?: () => number
  /** Effort a millisecond (`estimateEffort`), until the first sentences were measured. */
  readonly rate?: number
}

type Text = Turn & {
  readonly id: number
  readonly request: LocalSpeechRequest
  readonly spoken: readonly Sentence[]
  isDropped: boolean
  /** Undefined for a text that was cancelled. */
  resolve: (chunk: SpeechChunk | undefined) => void
  reject: (error: Error) => void
}

/** Sentences that the measured rate remembers. */
const remembered = 20

/**
 * Speech from a local synthesizer in a worker thread, in English. Four voices stand in for those of
 * the contract. A sentence is spoken when its reader asks for it. So an unread text takes no time
 * of the thread, and gives its encoder to another text that needs it.
 */
export function createLocalSpeech(options: LocalSpeechOptions = {}): LocalSpeech {
  const { timeoutScale = 1, now = () => performance.now() } = options
  const waits = scaleWaits(timeoutScale)
  const thread = options.thread ?? createSpeechThread({ timeoutMs: 30_000 * timeoutScale })
  const texts = new Set<Text>()
  let rate = options.rate ?? 0.3
  let serial = 0
  let speaking: Text | undefined
  let again: NodeJS.Timeout | undefined
  let isClosed = false

  /** Runs in its own turn of the event loop, so that readers can ask for more first. */
  const wake = (): void => void setImmediate(() => void speakNext())

  const speakNext = async (): Promise<void> => {
    if (speaking) return
    clearTimeout(again)
    const { next: text, dropped, againInMs } = choose(texts, now(), waits)
    if (dropped) drop(dropped)
    if (againInMs !== undefined) again = setTimeout(wake, againInMs).unref()
    if (!text) return
    const options = text.begun ? undefined : toSpeakOptions(text)
    speaking = text
    text.state = 'speaks'
    text.begun = true
    const start = now()
    text.servedAt = start
    try {
      const chunk = await thread.next(text.id, options)
      measure(text.efforts[text.sentences] ?? 0, now() - start)
      text.sentences++
      text.resolve(chunk)
    } catch (error) {
      text.reject(error as Error)
    } finally {
      speaking = undefined
      wake()
    }
  }

  const measure = (effort: number, ms: number): void =>
    void (rate += (effort / Math.max(1, ms) - rate) / remembered)

  const drop = (text: Text): void => {
    text.isDropped = true
    texts.delete(text)
    thread.drop(text.id)
  }

  const requestNext = (text: Text, signal: AbortSignal): Promise<SpeechChunk | undefined> =>
    new Promise((resolve, reject) => {
      if (text.isDropped)
        return reject(
          new LocalBackendError('unread', 'The audio was not read on while other texts waited.'),
        )
      if (isClosed)
        return reject(new LocalBackendError('busy', 'The synthesizer is shutting down.'))
      if (signal.aborted) return resolve(undefined)
      // a sentence that has begun is finished and charged
      const leave = () => text.state === 'waits' && resolve(undefined)
      signal.addEventListener('abort', leave, { once: true })
      const ended = () => signal.removeEventListener('abort', leave)
      text.resolve = (chunk) => (ended(), resolve(chunk))
      text.reject = (error) => (ended(), reject(error))
      text.state = 'waits'
      if (!text.isWhole) text.since = now()
      wake()
    })

  const rejectLate: LocalSpeech['rejectLate'] = (request) => {
    const newTurn = createTurn(request, splitSentences(request.text), now())
    const others = [...texts].filter(({ state }) => state !== 'sent')
    if (others.length === 0) return
    const late = estimateLateness(newTurn, others, rate, now(), waits)
    if (late <= 0) return
    const seconds = Math.ceil(late / 1000)
    throw new LocalBackendError(
      'busy',
      `The synthesizer has too many texts to speak this one in time. Try again in ${seconds} s.`,
      {
        retryAfterSeconds: seconds,
      },
    )
  }

  return {
    describe: ({ voice }) => `synthesizer=flite; voice=${chooseEmbeddedVoice(voice)}`,

    rejectLate,

    async *speak(request, signal) {
      if (isClosed) throw new LocalBackendError('busy', 'The synthesizer is shutting down.')
      rejectLate(request)
      const sentences = splitSentences(request.text)
      const ignore = () => undefined
      const turn = createTurn(request, sentences, now())
      const text: Text = {
        ...turn,
        id: ++serial,
        request,
        spoken: sentences,
        isDropped: false,
        resolve: ignore,
        reject: ignore,
      }
      texts.add(text)
      try {
        let length = 0
        for (const { characters } of sentences) {
          const audio = await requestNext(text, signal)
          if (!audio) return
          length += characters
          text.state = 'sent'
          if (!text.isWhole) text.since = now()
          // it is finished however slowly it is read
          if (audio.isLast) texts.delete(text)
          yield { bytes: audio.bytes, made: length } satisfies LocalSpeechPart
        }
      } finally {
        if (texts.has(text)) drop(text)
        wake()
      }
    },

    load: () => ({
      busy: speaking ? 1 : 0,
      waiting: [...texts].filter(({ state }) => state === 'waits').length,
    }),

    ready: async () => {
      if (isClosed) throw new LocalBackendError('busy', 'The synthesizer is shutting down.')
      await thread.ready()
    },

    close: async () => {
      isClosed = true
      clearTimeout(again)
      for (const text of texts)
        text.reject(new LocalBackendError('busy', 'The synthesizer is shutting down.'))
      await thread.close()
    },
  }
}

function createTurn(
  { caller, format, streaming, speed }: Omit<LocalSpeechRequest, 'text' | 'voice'>,
  sentences: readonly Sentence[],
  now: number,
): Turn {
  const efforts = sentences.map(({ characters }) => estimateEffort(characters, speed))
  // bare samples are sent as they are made
  // so is a long text, whose first byte would otherwise come later than a client waits
  const isWhole =
    !streaming && format !== 'pcm' && efforts.reduce((sum, effort) => sum + effort, 0) <= maxUnsplit
  return { caller, efforts, isWhole, sentences: 0, begun: false, state: 'waits', since: now }
}

function toSpeakOptions({ request: { voice, speed, format }, spoken, isWhole }: Text) {
  return {
    sentences: spoken.map(({ text }) => text),
    voice: chooseEmbeddedVoice(voice),
    speed,
    format,
    streaming: !isWhole,
  }
}

/** Female and male voices. kal16 stands in for cloned voices. */
const female: readonly FliteVoice[] = ['slt']
const male: readonly FliteVoice[] = ['rms', 'awb']

/** Male voices of the contract. Names of Kokoro voices have the sex in their second letter. */
const men: ReadonlySet<string> = new Set(
  `Uncle_Fu Dylan Eric Ryan Aiden rex sal leo Craig Alex Edward Theodore Ronald Mark Hades Blade Carl Cliff Richard Rico dan zac Roger Charlie
   George Callum River Liam Will Chris Brian Daniel Bill DeepVoiceMan CasualGuy PatientMan YoungKnight DeterminedMan ImposingManner ElegantMan
   FriendlyPerson Achird Algenib Algieba Alnilam Charon Enceladus Fenrir Iapetus Orus Puck Rasalgethi Sadachbia Sadaltager Schedar Umbriel
   Zubenelgenubi Kent Jack Maximilian Sergio Leo Davi`.split(/\s+/),
)

/**
 * The embedded voice that stands in for a voice of the contract: always the same, and of the same
 * sex. Cloned voices are not imitated and share one voice.
 */
function chooseEmbeddedVoice(voice: string): FliteVoice {
  if (!knownVoices.has(voice)) return 'kal16'
  const choices = isMan(voice) ? male : female
  const sum = new TextEncoder().encode(voice).reduce((total, byte) => total + byte, 0)
  return choices[sum % choices.length] ?? 'slt'
}

const knownVoices: ReadonlySet<string> = new Set(
  Object.values(modelVoices).flatMap(({ voices }): readonly string[] => voices),
)

function isMan(voice: string): boolean {
  const [, sex] = /^[a-z]([fm])_/.exec(voice) ?? []
  return sex === undefined ? men.has(voice) : sex === 'm'
}

const longest = 240
/** The synthesizer needs quadratic time for longer words. */
const longestWord = /\S{32}(?=\S)/gu

/** A piece of a text that is spoken at once. */
type Sentence = {
  /** Empty for silence. */
  readonly text: string
  /** Code points of the whole text that it stands for. */
  readonly characters: number
}

/**
 * Splits a text into one or more sentences, which together stand for all its characters. Long ones
 * are cut at a space, so that the first sound comes early. Parts without a letter or digit are not
 * spoken.
 */
export function splitSentences(text: string): readonly Sentence[] {
  const sentences: Sentence[] = []
  let silent = 0
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    const characters = silent + Array.from(segment).length
    silent = 0
    const breakable = segment.trim().replaceAll(longestWord, '$& ')
    const last = sentences.at(-1)
    if (/[\p{L}\p{N}]/u.test(breakable))
      sentences.push(...distributeCharacters(cut(breakable), characters))
    else if (last)
      sentences[sentences.length - 1] = { ...last, characters: last.characters + characters }
    else silent = characters
  }
  return sentences.length > 0 ? sentences : [{ text: '', characters: silent }]
}

function cut(sentence: string): string[] {
  const parts: string[] = []
  let rest = sentence
  while (rest.length > longest) {
    const space = rest.lastIndexOf(' ', longest)
    const end = space > 0 ? space : longest
    parts.push(rest.slice(0, end))
    rest = rest.slice(end).trim()
  }
  return [...parts, rest]
}

/** Each part stands for characters in proportion to its length. */
function distributeCharacters(parts: readonly string[], characters: number): Sentence[] {
  const total = parts.reduce((sum, { length }) => sum + length, 0)
  let length = 0
  let before = 0
  return parts.map((text) => {
    length += text.length
    const upTo = Math.round((characters * length) / total)
    const sentence = { text, characters: upTo - before }
    before = upTo
    return sentence
  })
}
