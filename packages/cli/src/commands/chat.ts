import type { CreateChatCompletionInput } from '@farebox/client'
import type { Context, CommandHandler } from '../command.js'
import { chooseModel, rememberRepeatKey, createPaidCall } from '../calls/paid-call.js'
import { confirmEstimate } from '../calls/confirm.js'
import { listAllowedCallers, connect } from '../calls/connect.js'
import { printJson, note, stripControls, print, printLine } from '../io/terminal.js'
import { readText } from '../io/read-input.js'

/** Asks a text model, and prints the completion as it arrives. */
export const chat: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const [operand = ''] = args.operands
  const prompt = await readText(terminal, operand)
  const { farebox } = await connect(context, listAllowedCallers('createChatCompletion'))
  const { idempotencyKey, options } = createPaidCall(context)
  const input: CreateChatCompletionInput = {
    model: await chooseModel(context, farebox, 'text'),
    messages: toMessages(args.text('system'), prompt),
    ...toLimits(context),
  }
  await confirmEstimate(context, 'createChatCompletion', { what: 'This response', input, farebox })
  if (args.has('json')) {
    const completion = await rememberRepeatKey(idempotencyKey, () =>
      farebox.createChatCompletion({ ...input, stream: false }, options),
    )
    await printJson(terminal, completion)
    return 0
  }
  const isScreen = terminal.out.isTTY === true
  let text = ''
  let finish: string | null | undefined
  await rememberRepeatKey(idempotencyKey, async () => {
    for await (const { choices } of await farebox.createChatCompletion(
      { ...input, stream: true },
      options,
    )) {
      const [choice] = choices
      const piece = choice?.delta.content ?? choice?.delta.refusal ?? ''
      finish = choice?.finish_reason ?? finish
      if (piece !== '') await print(terminal, isScreen ? stripControls(piece) : piece)
      text += piece
    }
  })
  if (isScreen && text !== '' && !text.endsWith('\n')) await print(terminal, '\n')
  if (finish === 'length') note(terminal, 'The response was cut at its token limit.')
  if (finish === 'content_filter') note(terminal, 'The response was withheld by a content filter.')
  return 0
}

function toMessages(
  system: string | undefined,
  content: string,
): CreateChatCompletionInput['messages'] {
  const instructions = system === undefined ? [] : [{ role: 'system' as const, content: system }]
  return [...instructions, { role: 'user' as const, content }]
}

function toLimits({
  arguments: args,
}: Context): Pick<CreateChatCompletionInput, 'max_completion_tokens' | 'temperature'> {
  const [most, temperature] = [args.number('max-tokens'), args.number('temperature')]
  return {
    ...(most !== undefined && { max_completion_tokens: most }),
    ...(temperature !== undefined && { temperature }),
  }
}

/** Turns texts into vectors, one on each line. */
export const embed: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const { operands } = args
  const texts =
    operands.length === 1 ? [await readText(terminal, operands[0] ?? '')] : [...operands]
  const { farebox } = await connect(context, listAllowedCallers('createEmbedding'))
  const { idempotencyKey, options } = createPaidCall(context)
  const dimensions = args.number('dimensions')
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
  if (args.has('json')) await printJson(terminal, embeddings)
  else for (const { embedding } of embeddings) await printLine(terminal, JSON.stringify(embedding))
  return 0
}
