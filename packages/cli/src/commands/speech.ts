import { extname } from 'node:path'
import { expected } from '@farebox/command-line'
import type { CreateSpeechInput } from '@farebox/client'
import { modelVoices, operations } from '@farebox/types/operations'
import type { Farebox } from 'farebox'
import type { Context, CommandHandler } from '../command.js'
import { listAllowedCallers, connect } from '../calls/connect.js'
import { openDelivery } from '../io/output-file.js'
import { printJson, createProgress, note } from '../io/terminal.js'
import { confirmPrice, readLimitUsd } from '../calls/confirm.js'
import { rememberRepeatKey, createPaidCall } from '../calls/paid-call.js'
import { estimatePrice } from '../calls/estimate-price.js'
import { readStdin, decodeText } from '../io/read-input.js'

const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

export const speech: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const input = await readInput(context)
  const { farebox } = await connect(context, listAllowedCallers('createSpeech'))
  await confirmSpeech(context, input, farebox)
  const delivery = await openDelivery(context, `speech.${input.response_format}`)
  const progress = createProgress(terminal)
  const { idempotencyKey, options } = createPaidCall(context)
  try {
    progress.report('speaking')
    const response = await rememberRepeatKey(idempotencyKey, () =>
      farebox.createSpeech(input as SpeechInput, options),
    )
    progress.done()
    const bytes = await rememberRepeatKey(idempotencyKey, () => delivery.take(response))
    const balance = response.headers.get('x-balance-remaining')
    if (balance !== null) note(terminal, `${balance} USD left`)
    if (args.has('json')) {
      await printJson(terminal, {
        file: delivery.path,
        bytes,
        contentType: response.headers.get('content-type'),
        requestId: response.headers.get('x-request-id'),
        ...(balance !== null && { balanceRemainingUsd: Number(balance) }),
      })
    }
    return 0
  } finally {
    progress.done()
    await delivery.abandon()
  }
}

/**
 * More than any model costs. A text that stays below the limit at this price needs no price request.
 */
const highestUsdPerCharacter = 0.001

async function confirmSpeech(
  context: Context,
  input: CreateSpeechInput,
  farebox: Farebox,
): Promise<void> {
  const most = input.input.length * highestUsdPerCharacter
  if (context.arguments.has('yes') || most <= (await readLimitUsd(context))) return
  await confirmPrice(context, {
    what: 'This speech',
    usd: await estimatePrice('createSpeech', input, farebox, context.signal),
  })
}

/** The contract rejects a voice that the model does not have. */
type SpeechInput = Parameters<Farebox['createSpeech']>[0]

async function readInput({
  arguments: args,
  terminal,
}: Context): Promise<CreateSpeechInput & { readonly response_format: string }> {
  const [text = ''] = args.operands
  const input = text === '-' ? decodeText(await readStdin(terminal, 1_000_000), 'stdin') : text
  const [voice, language, prompt] = [args.text('voice'), args.text('language'), args.text('prompt')]
  const [speed, temperature, topP] = [
    args.number('speed'),
    args.number('temperature'),
    args.number('top-p'),
  ]
  const model = args.text('model')
  if (voice !== undefined) checkVoice(voice, model ?? operations.createSpeech.defaults.model)
  return {
    input,
    response_format: chooseFormat(args.text('format'), args.text('output')),
    // the contract rejects other values, and lists the valid ones
    ...(model !== undefined && { model: model as NonNullable<CreateSpeechInput['model']> }),
    ...(voice !== undefined && { voice }),
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
    ...(speed !== undefined && { speed }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(args.has('stream') && { streaming: true }),
  }
}

/**
 * `--format`, else the extension of the file, else mp3. Another extension is a mistake, which would
 * give the file a wrong name.
 */
function chooseFormat(requested: string | undefined, output = ''): (typeof formats)[number] {
  const extension = extname(output).slice(1).toLowerCase()
  const knownFormat = formats.find((format) => format === (requested ?? extension))
  if (knownFormat !== undefined) return knownFormat
  if (requested !== undefined) throw expected('--format', requested, `one of ${formats.join(', ')}`)
  if (extension === '' || output.startsWith('/dev/')) return 'mp3'
  throw expected(
    '-o',
    output,
    `a name that ends in .${formats.join(', .')}, or --format with another name`,
  )
}

/** Lists the voices of the model; the error of the contract would only give a pattern. */
function checkVoice(voice: string, model: string): void {
  const { voices = [], supportsCloning = false } =
    Object.entries(modelVoices).find(([id]) => id === model)?.[1] ?? {}
  const isKnown =
    voices.some((one) => one === voice) || voices.length === 0 || voice.startsWith('vv_')
  if (isKnown) return
  throw expected(
    '--voice',
    voice,
    `a voice of ${model}${supportsCloning ? ', such as your own vv_…, or' : ':'} ${voices.join(', ')}`,
  )
}
