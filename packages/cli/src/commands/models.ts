import type { ListModelsInput } from '@farebox/client'
import type { Model } from '@farebox/types'
import type { Run } from '../command.js'
import { allowedCallers, connect } from '../calls/connect.js'
import { printJson } from '../io/json-output.js'
import { printLine, table } from '../io/terminal.js'

/** The catalogue, or one model in full. */
export const models: Run = async (context) => {
  const { arguments: given, terminal, signal } = context
  const [id] = given.operands
  if (id !== undefined) {
    const { farebox } = await connect(context, allowedCallers('getModel'))
    await printJson(terminal, await farebox.getModel({ id }, { signal }))
    return 0
  }
  const { farebox } = await connect(context, allowedCallers('listModels'))
  const type = given.text('type') ?? 'all'
  // the contract rejects other values, and lists the valid ones
  const data = await farebox.listModels(
    { type: type as NonNullable<ListModelsInput['type']> },
    { signal },
  )
  if (given.has('json')) await printJson(terminal, data)
  else
    await printLine(
      terminal,
      table([
        ['MODEL', 'TYPE', 'PRICE'],
        ...data.map((model) => [model.id, model.type, formatPrice(model)]),
      ]),
    )
  return 0
}

function formatPrice({ type, model_spec: { pricing } }: Model): string {
  if (pricing?.per_second !== undefined) return `${pricing.per_second.usd} USD a second`
  if (pricing?.input === undefined) return ''
  return `${pricing.input.usd} USD a million ${type === 'tts' ? 'characters' : 'tokens'}`
}
