import { extname } from 'node:path'
import type { CreateSpeechInput } from '@farebox/client'
import type { Context, Run } from '../command.js'
import { callersOf, connect } from '../connect.js'
import { openDelivery } from '../deliver.js'
import { mayRepeat } from '../explain.js'
import { UsageError } from '../errors.js'
import { paidCall } from '../paid-call.js'
import { createProgress } from '../progress.js'
import { readStdin, textOf } from '../read-input.js'
import { note, printJson } from '../terminal.js'

const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

export const speech: Run = async (context) => {
  const { arguments: given, terminal } = context
  const input = await readInput(context)
  const { farebox } = await connect(context, callersOf('createSpeech'))
  const delivery = await openDelivery(context, `speech.${input.response_format}`)
  const progress = createProgress(terminal)
  const { idempotencyKey, options } = paidCall(context)
  try {
    progress.tell('speaking')
    const answer = await mayRepeat(idempotencyKey, () => farebox.createSpeech({ ...input, idempotencyKey }, options))
    progress.done()
    const bytes = await mayRepeat(idempotencyKey, () => delivery.take(answer))
    const left = answer.headers.get('x-balance-remaining')
    if (left !== null) note(terminal, `${left} USD left`)
    if (given.has('json')) {
      await printJson(terminal, {
        file: delivery.path,
        bytes,
        contentType: answer.headers.get('content-type'),
        requestId: answer.headers.get('x-request-id'),
        ...(left !== null && { balanceRemainingUsd: Number(left) }),
      })
    }
    return 0
  } finally {
    progress.done()
    await delivery.abandon()
  }
}

async function readInput({ arguments: given, terminal }: Context): Promise<CreateSpeechInput & { readonly response_format: string }> {
  const [text = ''] = given.operands
  const input = text === '-' ? textOf(await readStdin(terminal, 1_000_000), 'stdin') : text
  const [voice, language, prompt] = [given.text('voice'), given.text('language'), given.text('prompt')]
  const [speed, temperature, topP] = [given.number('speed'), given.number('temperature'), given.number('top-p')]
  const model = given.text('model')
  return {
    input,
    response_format: formatOf(given.text('format'), given.text('output')),
    // the contract refuses other values, and names those that it accepts
    ...(model !== undefined && { model: model as NonNullable<CreateSpeechInput['model']> }),
    ...(voice !== undefined && { voice }),
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
    ...(speed !== undefined && { speed }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(given.has('stream') && { streaming: true }),
  }
}

/** `--format`, else the extension of the file, else mp3. */
function formatOf(asked: string | undefined, output: string | undefined): (typeof formats)[number] {
  const found = formats.find(
    (format) =>
      format ===
      (asked ??
        extname(output ?? '')
          .slice(1)
          .toLowerCase()),
  )
  if (found !== undefined) return found
  if (asked === undefined) return 'mp3'
  throw new UsageError(`--format is ${JSON.stringify(asked)}; expected one of ${formats.join(', ')}.`)
}
