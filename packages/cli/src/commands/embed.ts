import { chooseModel } from '../choose-model.js'
import type { Run } from '../command.js'
import { confirmEstimate } from '../confirm-price.js'
import { allowedCallers, connect } from '../connect.js'
import { printJson } from '../json-output.js'
import { mayRepeat } from '../may-repeat.js'
import { paidCall } from '../paid-call.js'
import { readText } from '../read-input.js'
import { printLine } from '../terminal.js'

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
  const embeddings = await mayRepeat(idempotencyKey, () => farebox.createEmbedding(input, options))
  if (given.has('json')) await printJson(terminal, embeddings)
  else for (const { embedding } of embeddings) await printLine(terminal, JSON.stringify(embedding))
  return 0
}
