import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { CreateTranscriptionInput, FileInput } from '@farebox/client'
import { operations } from '@farebox/types/operations'
import { chooseModel, rememberRepeatKey, createPaidCall } from '../calls/paid-call.js'
import type { Context, CommandHandler } from '../command.js'
import { confirmEstimate } from '../calls/confirm.js'
import { listAllowedCallers, connect } from '../calls/connect.js'
import { printJson, createProgress, stripControls, print } from '../io/terminal.js'
import { openOutput, readOutputPath } from '../io/output-file.js'
import { readStdin, openInput } from '../io/read-input.js'

/** Transcribes a recording, as text or subtitles. */
export const transcribe: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const { file, name, size } = await readRecording(context)
  const { farebox } = await connect(context, listAllowedCallers('createTranscription'))
  const { idempotencyKey, options } = createPaidCall(context)
  const [language, prompt] = [args.text('language'), args.text('prompt')]
  const format = args.has('json') ? 'verbose_json' : (args.text('format') ?? 'text')
  const input: CreateTranscriptionInput = {
    file,
    model: await chooseModel(context, farebox, 'asr'),
    // the choices of the flag are those of the contract
    response_format: format as NonNullable<CreateTranscriptionInput['response_format']>,
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
  }
  await confirmEstimate(context, 'createTranscription', {
    what: 'This transcript',
    input: { ...input, file: { size } },
    farebox,
  })
  const path = readOutputPath(context)
  const output = path === undefined ? undefined : await openOutput(path)
  const progress = createProgress(terminal)
  try {
    progress.report(`listening to ${name}`)
    const transcript = await rememberRepeatKey(idempotencyKey, () =>
      farebox.createTranscription(input, options),
    )
    progress.done()
    const text = typeof transcript === 'string' ? transcript : transcript.text
    await output?.write(text)
    if (typeof transcript !== 'string') await printJson(terminal, transcript)
    else if (!output) await print(terminal, formatForTerminal(text, terminal.out.isTTY === true))
    return 0
  } finally {
    progress.done()
    await output?.abandon()
  }
}

async function readRecording({ arguments: args, terminal }: Context): Promise<{
  readonly file: FileInput
  readonly name: string
  readonly size: number
}> {
  const [path = ''] = args.operands
  const limit = operations.createTranscription.maxFileBytes.file
  const isStdin = path === '-'
  const file = isStdin ? await readStdin(terminal, limit) : await openInput(path, limit)
  const size = file instanceof Uint8Array ? file.byteLength : (await stat(path)).size
  return { file, name: isStdin ? 'stdin' : basename(path), size }
}

/** A terminal gets no control characters. */
function formatForTerminal(text: string, isScreen: boolean): string {
  const whole = text.endsWith('\n') ? text : `${text}\n`
  return isScreen ? stripControls(whole) : whole
}
