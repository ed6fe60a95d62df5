import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatUsage,
  EmbeddingList,
  ImageList,
  Model,
  ModelList,
} from '@farebox/types'
import type { ProbeResponse } from '../probe.js'
import type { Check, Subject } from '../subject.js'
import { must, SkipError } from '../check.js'
import { isNear } from './payment.js'
import { readBalance, requirePayer } from './work.js'

const chatRule = 'POST /chat/completions (provisional)'
/** Tokens of each completion at most. */
const maxTokens = 16
const question = { messages: [{ role: 'user', content: 'Where does the tram stop?' }] }

/** Chats, embeddings, images and transcripts, at the prices of the cheapest model of each type. */
export const inference: readonly Check[] = [
  {
    id: 'chat.whole',
    title: 'a completion has its usage, and is charged by it',
    rule: chatRule,
    run: async (subject) => {
      const model = await findCheapestModel(subject, 'text')
      await expectCharge(subject, async () => {
        const { choices, usage } = (await chat(subject, model, { n: 2 })).json as ChatCompletion
        must(choices.length === 2, 'a choice for each of `n: 2`', choices)
        must(
          usage.completion_tokens <= 2 * maxTokens &&
            usage.total_tokens === usage.prompt_tokens + usage.completion_tokens,
          `at most ${maxTokens} tokens a choice, and their sum with the prompt`,
          usage,
        )
        return priceChat(model, usage)
      })
    },
  },
  {
    id: 'chat.stream',
    title: 'a streamed completion ends with its usage, if that is asked for, and with [DONE]',
    rule: `${chatRule}: stream, stream_options`,
    run: async (subject) => {
      const model = await findCheapestModel(subject, 'text')
      await expectCharge(subject, async () => {
        const options = { stream: true, stream_options: { include_usage: true } }
        const chunks = (await chat(subject, model, options)).json as Partial<ChatCompletionChunk>[]
        const finished = chunks.filter(({ choices }) => choices?.[0]?.finish_reason)
        must(finished.length === 1, 'one chunk with a finish_reason', finished)
        const { usage } = chunks.at(-1) ?? {}
        must(usage !== undefined && usage !== null, 'usage in the last chunk', chunks.at(-1))
        return priceChat(model, usage)
      })
      const plain = (await chat(subject, model, { stream: true }))
        .json as Partial<ChatCompletionChunk>[]
      const withUsage = plain.find(({ usage }) => usage !== undefined && usage !== null)
      must(withUsage === undefined, 'no usage that was not asked for', withUsage)
    },
  },
  {
    id: 'chat.idempotency',
    title: 'a completion that is repeated under an Idempotency-Key is charged once',
    rule: 'Idempotency-Key of the contract',
    run: async (subject) => {
      const model = await findCheapestModel(subject, 'text')
      const headers = { 'idempotency-key': `farebox-verify-${crypto.randomUUID()}` }
      await expectCharge(subject, async () => {
        const first = (await chat(subject, model, {}, headers)).json as ChatCompletion
        const again = (await chat(subject, model, {}, headers)).json as ChatCompletion
        must(again.id === first.id, `the completion ${first.id} again`, again.id)
        return priceChat(model, first.usage)
      })
    },
  },
  {
    id: 'chat.input',
    title: 'a chat that no model can continue is 400, and names the field',
    rule: `${chatRule}: bad input`,
    run: async (subject) => {
      const model = await findCheapestModel(subject, 'text')
      const tool = { role: 'tool', tool_call_id: 'none', content: '12' }
      for (const [field, fault] of Object.entries({
        messages: { messages: [] },
        'messages ': { messages: [tool] },
        max_tokens: { max_tokens: 0 },
        'farebox-verify': { 'farebox-verify': true },
      })) {
        const { text } = await chat(subject, model, fault, {}, 400)
        must(text.includes(field.trim()), `an error that names ${field.trim()}`, text)
      }
    },
  },
  {
    id: 'embedding.vectors',
    title: 'each input has its vector in order, as numbers or as base64, and is charged by tokens',
    rule: 'POST /embeddings (provisional)',
    run: async (subject) => {
      const model = await findCheapestModel(subject, 'embedding')
      const embed = async (encoding_format: 'float' | 'base64') => {
        subject.budget.take(toUsd(maxPromptTokens * readInputPrice(model)))
        const json = { model: model.id, input: ['A tram', 'A bus'], encoding_format }
        const as = requirePayer(subject).credential
        return (await subject.probe.call('createEmbedding', 200, { json, as }))
          .json as EmbeddingList
      }
      await expectCharge(subject, async () => {
        const { data, usage } = await embed('float')
        must(
          data.map(({ index }) => index).join() === '0,1',
          'the vectors 0 and 1',
          data.map(({ index }) => index),
        )
        return Math.ceil(usage.prompt_tokens * readInputPrice(model) - tolerance)
      })
      const [first] = (await embed('float')).data
      const [packed] = (await embed('base64')).data
      const bytes = Buffer.from(String(packed?.embedding), 'base64')
      const numbers = Array.isArray(first?.embedding) ? first.embedding : []
      must(
        bytes.length === 4 * numbers.length &&
          numbers.every((value, at) => Math.abs(bytes.readFloatLE(4 * at) - value) < 1e-5),
        'the same 32-bit floats as base64',
        `${bytes.length} bytes for ${numbers.length} numbers`,
      )
    },
  },
  {
    id: 'image.whole',
    title: 'an image is in the response or at a URL, and is charged by its size',
    rule: 'POST /images/generations (provisional)',
    run: async (subject) => {
      const model = await findCheapestModel(subject, 'image')
      const [size, usd] = findCheapestSize(model)
      const draw = async (response_format: 'b64_json' | 'url') => {
        subject.budget.take(usd)
        const json = { model: model.id, prompt: 'A tram', size, response_format }
        const as = requirePayer(subject).credential
        const { data } = (await subject.probe.call('createImage', 200, { json, as }))
          .json as ImageList
        return data[0]
      }
      await expectCharge(subject, async () => {
        const image = await draw('b64_json')
        const bytes = Buffer.from(image?.b64_json ?? '', 'base64')
        must(isPng(bytes), 'a PNG file in b64_json', `${bytes.length} bytes`)
        return usd * 1e6
      })
      const { url } = (await draw('url')) ?? {}
      must(url !== undefined, 'a URL', 'none')
      const file = await subject.fetch(url)
      const bytes = new Uint8Array(await file.arrayBuffer())
      must(
        file.ok && isPng(bytes),
        'a PNG file at the URL',
        `${file.status}, ${bytes.length} bytes`,
      )
    },
  },
  {
    id: 'transcription.formats',
    title: 'a transcript is available in each of the five formats, and is charged by the minute',
    rule: 'POST /audio/transcriptions (provisional): response_format',
    run: async (subject) => {
      const model = await findCheapestModel(subject, 'asr')
      const price = (model.model_spec.pricing?.per_audio_minute?.usd ?? 0) * 1e6
      const micro = Math.ceil((price * seconds) / 60 - tolerance)
      for (const [format, [type, part]] of Object.entries(transcripts)) {
        await expectCharge(subject, async () => {
          subject.budget.take(micro / 1e6)
          const form = new FormData()
          form.set('file', createSilence(seconds), 'silence.wav')
          form.set('model', model.id)
          form.set('response_format', format)
          const as = requirePayer(subject).credential
          const response = await subject.probe.call('createTranscription', 200, { form, as })
          must(response.mediaType === type, `${format} as ${type}`, response.mediaType)
          must(response.text.includes(part), `${part} in ${format}`, response.text)
          return micro
        })
      }
    },
  },
]

const transcripts: Readonly<Record<string, readonly [type: string, part: string]>> = {
  json: ['application/json', '"text"'],
  verbose_json: ['application/json', '"duration"'],
  text: ['text/plain', ''],
  // silence has no cues
  srt: ['text/plain', ''],
  vtt: ['text/plain', 'WEBVTT'],
}

/** Floats, such as 0.1 * 30, are off by so much at most. */
const tolerance = 1e-6
/** A bound for the prompts of the checks, with the template of a model. */
const maxPromptTokens = 1_000

function toUsd(micro: number): number {
  return Math.ceil(micro) / 1e6
}

/** Micro-USD for a token. */
function readInputPrice({ model_spec: { pricing } }: Model): number {
  return pricing?.input?.usd ?? 0
}

function priceChat({ model_spec: { pricing } }: Model, usage: ChatUsage): number {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0
  const micro =
    (usage.prompt_tokens - cached) * (pricing?.input?.usd ?? 0) +
    cached * (pricing?.cache_input?.usd ?? 0) +
    usage.completion_tokens * (pricing?.output?.usd ?? 0)
  return Math.ceil(micro - tolerance)
}

/** The model of a type whose output costs the least. */
async function findCheapestModel(subject: Subject, type: 'text' | 'embedding' | 'image' | 'asr') {
  requirePayer(subject)
  const { data } = (await subject.probe.call('listModels', 200, { query: { type } }))
    .json as ModelList
  const price = ({ model_spec: { pricing } }: Model) =>
    (pricing?.output ?? pricing?.input ?? pricing?.generation ?? pricing?.per_audio_minute)?.usd ??
    Infinity
  const [model] = data
    .filter(({ model_spec: spec }) => spec.offline !== true)
    .sort((one, other) => price(one) - price(other))
  if (model === undefined) throw new SkipError(`there is no model of the type ${type}`)
  return model
}

function findCheapestSize({
  model_spec: { pricing },
}: Model): readonly [size: string, usd: number] {
  const sizes = Object.entries(pricing?.resolutions ?? {}).map(
    ([size, { usd }]) => [size, usd] as const,
  )
  return (
    sizes.sort(([, one], [, other]) => one - other)[0] ?? ['auto', pricing?.generation?.usd ?? 0]
  )
}

async function chat(
  subject: Subject,
  model: Model,
  more: object,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Promise<ProbeResponse> {
  const { pricing } = model.model_spec
  if (status === 200)
    subject.budget.take(
      toUsd(maxPromptTokens * readInputPrice(model) + 2 * maxTokens * (pricing?.output?.usd ?? 0)),
    )
  const json = { model: model.id, max_tokens: maxTokens, ...question, ...more }
  const as = requirePayer(subject).credential
  return subject.probe.call('createChatCompletion', status, { json, headers, as })
}

/** Does work that returns its price in micro-USD, which must be what the balance loses. */
async function expectCharge(subject: Subject, work: () => Promise<number>): Promise<void> {
  const before = await readBalance(subject)
  const price = (await work()) / 1e6
  const after = await readBalance(subject)
  if (before !== undefined && after !== undefined)
    must(isNear(before - after, price), `a charge of ${price} USD`, before - after)
}

const isPng = (bytes: Uint8Array) =>
  Buffer.from(bytes.subarray(0, 4)).toString('latin1') === '\u0089PNG'

const seconds = 2

/** A WAV file: 8,000 samples a second of 16 bits, mono. */
function createSilence(length: number): Blob {
  const bytes = 16_000 * length
  const number = (value: number, size: 2 | 4) => {
    const view = new DataView(new ArrayBuffer(size))
    if (size === 2) view.setUint16(0, value, true)
    else view.setUint32(0, value, true)
    return view
  }
  const format = [number(16, 4), number(1, 2), number(1, 2), number(8_000, 4), number(16_000, 4)]
  const layout = [number(2, 2), number(16, 2)]
  return new Blob([
    'RIFF',
    number(36 + bytes, 4),
    'WAVEfmt ',
    ...format,
    ...layout,
    'data',
    number(bytes, 4),
    new Uint8Array(bytes),
  ])
}
