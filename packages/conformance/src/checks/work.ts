import type {
  Model,
  ModelList,
  ParsedText,
  QueuedVideo,
  TransactionHistory,
  VideoQuote,
  VideoStatus,
  WalletBalance,
} from '@farebox/types'
import { operations, prices } from '@farebox/types/operations'
import type { Check, Payer, Subject } from '../subject.js'
import { must, SkipError } from '../check.js'
import { isNear } from './payment.js'

/**
 * The priced checks: a cent for parsing a text, less for speech, and the quote of the cheapest video.
 */
export const work: readonly Check[] = [
  {
    id: 'parse.json',
    title: 'the text of a file is returned with its token count',
    rule: 'POST /augment/text-parser',
    run: async (subject) => {
      const { text, tokens } = (await parse(subject)).json as ParsedText
      must(text.includes('Tram fares'), 'the text that was sent', text)
      must(Number.isInteger(tokens) && tokens > 0, 'a token count', tokens)
    },
  },
  {
    id: 'parse.text',
    title: 'response_format text is the raw text',
    rule: 'POST /augment/text-parser',
    run: async (subject) => {
      const { mediaType, text } = await parse(subject, { response_format: 'text' })
      must(
        mediaType === 'text/plain' && text.includes('Tram fares'),
        'the raw text as text/plain',
        `${mediaType} ${text}`,
      )
    },
  },
  {
    id: 'parse.idempotency',
    title: 'an Idempotency-Key is charged once, and is 409 for another request',
    rule: 'Idempotency-Key of the contract',
    run: async (subject) => {
      const headers = { 'idempotency-key': `farebox-verify-${crypto.randomUUID()}` }
      const before = await readBalance(subject)
      await parse(subject, {}, headers)
      await parse(subject, {}, headers, 0)
      const after = await readBalance(subject)
      const price = operations.parseText.priceUsd
      if (before !== undefined && after !== undefined)
        must(isNear(before - after, price), `${price} USD charged for both`, before - after)
      await subject.probe.call('parseText', 409, {
        form: createForm('Something else'),
        headers,
        as: requirePayer(subject).credential,
      })
    },
  },
  {
    id: 'ledger.even',
    title: "a charge is in the wallet's ledger, and the entries add up to the balance",
    rule: 'Resources: wallet ledger entry',
    run: async (subject) => {
      const { wallet, credential } = requirePayer(subject)
      if (wallet === undefined) throw new SkipError('it needs a paying wallet', 'wallet')
      const response = await parse(subject)
      const balance = response.headers.get('x-balance-remaining')
      const path = { walletAddress: wallet.address }
      const { data } = (
        await subject.probe.call('listTransactions', 200, {
          path,
          query: { limit: 100 },
          as: credential,
        })
      ).json as TransactionHistory
      const [newest] = data.transactions
      const charge = {
        amount: newest?.amount,
        type: newest?.type,
        balanceAfter: newest?.balanceAfter,
      }
      must(
        newest !== undefined &&
          newest.amount < 0 &&
          isNear(newest.amount, -operations.parseText.priceUsd),
        'a charge of 0.01 USD',
        charge,
      )
      must(
        isNear(newest.balanceAfter, data.currentBalance),
        `balanceAfter to be the balance, ${data.currentBalance}`,
        newest.balanceAfter,
      )
      must(
        balance !== null && isNear(Number(balance), data.currentBalance),
        `X-Balance-Remaining of ${data.currentBalance}`,
        balance ?? 'no such header',
      )
      const steps = data.transactions.map(({ amount, balanceAfter }, at) => ({
        amount,
        balanceAfter,
        before: data.transactions[at + 1]?.balanceAfter,
      }))
      const wrongStep = steps.find(
        ({ amount, balanceAfter, before }) =>
          before !== undefined && !isNear(before + amount, balanceAfter),
      )
      must(wrongStep === undefined, 'each balance to be the one before and the amount', wrongStep)
    },
  },
  {
    id: 'speech.formats',
    title: 'speech is available in each of the six formats',
    rule: 'POST /audio/speech: response_format',
    run: async (subject) => {
      for (const [format, { type, magic }] of Object.entries(formats)) {
        spendOnSpeech(subject, 'Hi')
        const response = await speak(subject, 200, { input: 'Hi', response_format: format })
        must(response.mediaType === type, `${format} as ${type}`, response.mediaType)
        must(
          response.bytes.length > 0 && magic(response.bytes),
          `bytes of ${format}`,
          Buffer.from(response.bytes.subarray(0, 16)).toString('hex'),
        )
      }
    },
  },
  {
    id: 'speech.limits',
    title: 'speech beyond the limits is 400, and so is the voice of another model',
    rule: 'POST /audio/speech: input 1-4096 characters, speed 0.25 to 4, voices are model-specific',
    run: async (subject) => {
      for (const body of [
        { input: '' },
        { input: 'x'.repeat(4097) },
        { input: 'x', speed: 5 },
        { input: 'x', model: 'tts-orpheus', voice: 'af_sky' },
      ]) {
        await speak(subject, 400, body)
      }
    },
  },
  {
    id: 'video.whole',
    title: 'the cheapest video is quoted, queued, awaited and downloaded',
    rule: 'POST /video/queue, rules 3 and 4',
    run: async (subject) => {
      const { probe } = subject
      const as = requirePayer(subject).credential
      const { order, usd } = await findCheapestVideo(subject)
      subject.budget.take(usd)
      const queued = (
        await probe.call('queueVideo', 200, {
          json: { ...order, prompt: 'A tram in the rain' },
          as,
        })
      ).json as QueuedVideo
      const job = { model: queued.model, queue_id: queued.queue_id }
      for (let round = 0; round < 120; round++) {
        const response = await probe.call('retrieveVideo', 200, { json: job, as })
        if (response.mediaType === 'video/mp4')
          return must(isMp4(response.bytes), 'an MP4 file', response.bytes.length)
        if ((response.json as VideoStatus).status === 'COMPLETED') {
          must(
            queued.download_url !== undefined,
            'a download_url in the response of /video/queue, because there was no file',
            queued,
          )
          const file = await subject.fetch(queued.download_url)
          const bytes = new Uint8Array(await file.arrayBuffer())
          return must(
            file.ok && isMp4(bytes),
            'an MP4 file behind download_url',
            `${file.status}, ${bytes.length} bytes`,
          )
        }
        await probe.wait(round < 10 ? 250 : 2_500)
      }
      must(false, 'the video within five minutes', 'still not COMPLETED')
    },
  },
]

const decodeAscii = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.subarray(from, to)).toString('latin1')
const isMp4 = (bytes: Uint8Array) => decodeAscii(bytes, 4, 8) === 'ftyp'
const hasSyncWord = (bytes: Uint8Array, mask: number) =>
  bytes[0] === 0xff && ((bytes[1] ?? 0) & mask) === mask

/** The first bytes of each speech format. PCM has no fixed beginning. */
const formats: Readonly<
  Record<string, { readonly type: string; readonly magic: (bytes: Uint8Array) => boolean }>
> = {
  mp3: {
    type: 'audio/mpeg',
    magic: (bytes) => decodeAscii(bytes, 0, 3) === 'ID3' || hasSyncWord(bytes, 0xe0),
  },
  opus: { type: 'audio/opus', magic: (bytes) => decodeAscii(bytes, 0, 4) === 'OggS' },
  aac: { type: 'audio/aac', magic: (bytes) => hasSyncWord(bytes, 0xf0) },
  flac: { type: 'audio/flac', magic: (bytes) => decodeAscii(bytes, 0, 4) === 'fLaC' },
  wav: {
    type: 'audio/wav',
    magic: (bytes) => decodeAscii(bytes, 0, 4) === 'RIFF' && decodeAscii(bytes, 8, 12) === 'WAVE',
  },
  pcm: { type: 'audio/pcm', magic: () => true },
}

export function requirePayer({ payer }: Subject): Payer {
  if (payer === undefined) throw new SkipError('it costs money', 'spendUsd')
  return payer
}

function createForm(text: string, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData()
  form.set('file', new Blob([text]), 'fares.txt')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

function parse(
  subject: Subject,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
  usd = 0.01,
) {
  const as = requirePayer(subject).credential
  subject.budget.take(usd)
  return subject.probe.call('parseText', 200, {
    form: createForm('Tram fares', fields),
    headers,
    as,
  })
}

function speak(subject: Subject, status: number, json: unknown) {
  return subject.probe.call('createSpeech', status, { json, as: requirePayer(subject).credential })
}

function spendOnSpeech({ budget }: Subject, text: string): void {
  budget.take((text.length * prices.speechUsdPerMillionCharacters['tts-kokoro']) / 1e6)
}

/** The balance of a key is not checked: other callers may spend from its account. */
export async function readBalance(subject: Subject): Promise<number | undefined> {
  const { wallet, credential } = requirePayer(subject)
  if (wallet === undefined) return undefined
  const response = await subject.probe.call('getBalance', 200, {
    path: { walletAddress: wallet.address },
    as: credential,
  })
  return (response.json as WalletBalance).data.balanceUsd
}

/**
 * The cheapest text-to-video model, with its shortest duration and its lowest resolution.
 */
async function findCheapestVideo(subject: Subject) {
  requirePayer(subject)
  const { data } = (await subject.probe.call('listModels', 200, { query: { type: 'video' } }))
    .json as ModelList
  const readPrice = (model: Model) => model.model_spec.pricing?.per_second?.usd ?? Infinity
  const [model] = data
    .filter(({ model_spec: spec }) => spec.constraints?.model_type === 'text-to-video')
    .sort((one, other) => readPrice(one) - readPrice(other))
  const { durations = [], resolutions = [] } = model?.model_spec.constraints ?? {}
  const [duration] = durations
  if (model === undefined || duration === undefined)
    throw new SkipError('there is no text-to-video model')
  const order = {
    model: model.id,
    duration,
    ...(resolutions[0] !== undefined && { resolution: resolutions[0] }),
  }
  const { quote } = (await subject.probe.call('quoteVideo', 200, { json: order }))
    .json as VideoQuote
  must(quote > 0, 'a price above zero', quote)
  return { order, usd: quote }
}
