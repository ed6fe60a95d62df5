import type { ListModelsInput, CreateVoiceInput } from '@farebox/client'
import type { Model } from '@farebox/types'
import { operations } from '@farebox/types/operations'
import type { CommandHandler } from '../command.js'
import { readModelSpec } from '../calls/estimate-price.js'
import { listAllowedCallers, connect } from '../calls/connect.js'
import { printJson, printLine, formatTable, note, createProgress } from '../io/terminal.js'
import { rememberRepeatKey, createPaidCall } from '../calls/paid-call.js'
import { openInput } from '../io/read-input.js'

/** Lists the models, or prints one in full. */
export const models: CommandHandler = async (context) => {
  const { arguments: args, terminal, signal } = context
  const [id] = args.operands
  if (id !== undefined) {
    const { farebox } = await connect(context, listAllowedCallers('getModel'))
    await printJson(terminal, await farebox.getModel({ id }, { signal }))
    return 0
  }
  const { farebox } = await connect(context, listAllowedCallers('listModels'))
  const type = args.text('type') ?? 'all'
  // the contract rejects other values, and lists the valid ones
  const data = await farebox.listModels(
    { type: type as NonNullable<ListModelsInput['type']> },
    { signal },
  )
  if (args.has('json')) await printJson(terminal, data)
  else
    await printLine(
      terminal,
      formatTable([
        ['MODEL', 'TYPE', 'PRICE'],
        ...data.map((model) => [model.id, formatType(model), formatPrice(model)]),
      ]),
    )
  return 0
}

function formatType({ type = '' }: { readonly type?: string }): string {
  return type
}

function formatPrice(model: Model): string {
  const { pricing } = readModelSpec(model)
  if (pricing?.per_second !== undefined) return `${pricing.per_second.usd} USD a second`
  if (pricing?.input === undefined) return ''
  return `${pricing.input.usd} USD a million ${model.type === 'tts' ? 'characters' : 'tokens'}`
}

/** Lists the voices of one model, or of all speech models. */
export const voices: CommandHandler = async (context) => {
  const { arguments: args, terminal, signal } = context
  const { farebox } = await connect(context, listAllowedCallers('listModels'))
  const id = args.text('model')
  const speechModels =
    id === undefined
      ? await farebox.listModels({ type: 'tts' }, { signal })
      : [await farebox.getModel({ id }, { signal })]
  const rows = speechModels.flatMap((model) => {
    const { voices: names = [], default_voice } = readModelSpec(model)
    return names.map((voice) => ({ model: model.id, voice, isDefault: voice === default_voice }))
  })
  if (args.has('json')) await printJson(terminal, rows)
  else
    await printLine(
      terminal,
      formatTable([
        ['MODEL', 'VOICE', ''],
        ...rows.map(({ model, voice, isDefault }) => [model, voice, isDefault ? 'default' : '']),
      ]),
    )
  return 0
}

/** Clones a voice from a recording, and prints its handle. */
export const voicesCreate: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const [path = ''] = args.operands
  const file = await openInput(path, operations.createVoice.maxFileBytes.file)
  const { farebox } = await connect(context, listAllowedCallers('createVoice'))
  const progress = createProgress(terminal)
  const { idempotencyKey, options } = createPaidCall(context)
  const model = args.text('model')
  // the contract rejects other values, and lists the valid ones
  const modelField =
    model === undefined ? {} : { model: model as NonNullable<CreateVoiceInput['model']> }
  try {
    progress.report(`learning the voice of ${path}`)
    const voice = await rememberRepeatKey(idempotencyKey, () =>
      farebox.createVoice({ file, ...modelField }, options),
    )
    progress.done()
    if (args.has('json')) await printJson(terminal, voice)
    else await printLine(terminal, voice.id)
    note(terminal, `Use it with the model ${voice.model}.`)
    return 0
  } finally {
    progress.done()
  }
}
