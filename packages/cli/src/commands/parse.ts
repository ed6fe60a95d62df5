import { basename } from 'node:path'
import type { FileInput } from '@farebox/client'
import { operations } from '@farebox/types/operations'
import type { Context, Run } from '../command.js'
import { confirmPrice } from '../confirm-price.js'
import { allowedCallers, connect } from '../connect.js'
import { printJson } from '../json-output.js'
import { mayRepeat } from '../may-repeat.js'
import { openOutput } from '../output-file.js'
import { paidCall } from '../paid-call.js'
import { createProgress } from '../progress.js'
import { readStdin, requireFile } from '../read-input.js'
import { note, plain, print } from '../terminal.js'

export const parse: Run = async (context) => {
  const { arguments: given, terminal } = context
  if (given.operands.length > 1 || given.text('out-dir') !== undefined)
    return (await import('./parse-many.js')).parseMany(context)
  const { file, name } = await readFile(context)
  const { farebox } = await connect(context, allowedCallers('parseText'))
  await confirmPrice(context, { what: `Parsing ${name}`, usd: operations.parseText.priceUsd })
  const path = given.text('output')
  const output = path === undefined ? undefined : await openOutput(path)
  const progress = createProgress(terminal)
  const { idempotencyKey, options } = paidCall(context)
  try {
    progress.report(`parsing ${name}`)
    const parsed = await mayRepeat(idempotencyKey, () => farebox.parseText({ file }, options))
    progress.done()
    const { text, tokens, warnings } =
      typeof parsed === 'string' ? { text: parsed, tokens: undefined, warnings: undefined } : parsed
    await output?.write(encode(text))
    if (given.has('json'))
      await printJson(terminal, {
        ...(output === undefined ? { text } : { file: path }),
        tokens,
        ...(warnings && { warnings }),
      })
    else if (output === undefined)
      await print(terminal, forReader(text, terminal.out.isTTY === true))
    if (tokens !== undefined) note(terminal, `${tokens} tokens`)
    for (const { code, count } of warnings ?? [])
      note(terminal, `not in the text: ${plain(code)} (${count})`)
    return 0
  } finally {
    progress.done()
    await output?.abandon()
  }
}

async function readFile({
  arguments: given,
  terminal,
}: Context): Promise<{ readonly file: FileInput; readonly name: string }> {
  const [path = ''] = given.operands
  if (path !== '-') {
    await requireFile(path)
    return { file: { path }, name: basename(path) }
  }
  return { file: await readStdin(terminal, operations.parseText.maxFileBytes.file), name: 'stdin' }
}

async function* encode(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

/** A terminal gets a final line end and no control characters. A pipe gets the text unchanged. */
function forReader(text: string, isScreen: boolean): string {
  if (!isScreen) return text
  return text.endsWith('\n') ? plain(text) : `${plain(text)}\n`
}
