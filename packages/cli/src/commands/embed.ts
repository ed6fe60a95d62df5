import { chooseModel, rememberRepeatKey, paidCall } from '../calls/paid-call.js'
import type { Run } from '../command.js'
import { confirmEstimate } from '../calls/confirm.js'
import { allowedCallers, connect } from '../calls/connect.js'
import { printJson } from '../io/json-output.js'
import { readText } from '../io/read-input.js'
import { printLine } from '../io/terminal.js'

/** Turns texts into vectors, one on each line. */
export const embed: Run = async (context) => {
  const { arguments: given, terminal } = context
  const { operands } = given
  const texts =
    operands.length === 1 ? [await readText(terminal, operands[0] ?? '')] : [...operands]
  const { farebox } = await connect(context, allowedCallers('createEmbedding'))
  const { idempotencyKey, options } = paidCall(context)
  const dimensions = given.number('dimensions')
  const input = {
    model: await chooseModel(context, farebox, 'embedding'),
    input: texts,
    ...(dimensions !== undefined && { dimensions }),
    encoding_format: 'float' as const,
  }
  await confirmEstimate(context, 'createEmbedding', { what: 'This', input, farebox })
  const embeddings = await rememberRepeatKey(idempotencyKey, () =>
    farebox.createEmbedding(input, options),
  )
  if (given.has('json')) await printJson(terminal, embeddings)
  else for (const { embedding } of embeddings) await printLine(terminal, JSON.stringify(embedding))
  return 0
}
