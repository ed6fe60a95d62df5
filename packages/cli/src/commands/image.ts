import { extname } from 'node:path'
import { expected } from '@farebox/command-line'
import type { CreateImageInput } from '@farebox/client'
import { chooseModel, rememberRepeatKey, createPaidCall } from '../calls/paid-call.js'
import { type CommandHandler, UsageError } from '../command.js'
import { confirmEstimate } from '../calls/confirm.js'
import { listAllowedCallers, connect } from '../calls/connect.js'
import { openDelivery } from '../io/output-file.js'
import { printJson, createProgress } from '../io/terminal.js'
import { readText } from '../io/read-input.js'

const formats = { '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg', '.webp': 'webp' } as const

/** Generates an image into a file or a pipe. */
export const image: CommandHandler = async (context) => {
  const { arguments: args, terminal } = context
  const [operand = ''] = args.operands
  const format = chooseFormat(args.text('output'))
  const prompt = await readText(terminal, operand)
  const { farebox } = await connect(context, listAllowedCallers('createImage'))
  const { idempotencyKey, options } = createPaidCall(context)
  const [size, quality] = [args.text('size'), args.text('quality')]
  const input: CreateImageInput = {
    model: await chooseModel(context, farebox, 'image'),
    prompt,
    output_format: format,
    response_format: 'b64_json',
    ...(size !== undefined && { size }),
    // the contract rejects other values, and names those that it accepts
    ...(quality !== undefined && { quality: quality as NonNullable<CreateImageInput['quality']> }),
  }
  await confirmEstimate(context, 'createImage', { what: 'This image', input, farebox })
  const delivery = await openDelivery(context, `image.${format}`)
  const progress = createProgress(terminal)
  try {
    progress.report('drawing')
    const images = await rememberRepeatKey(idempotencyKey, () =>
      farebox.createImage(input, options),
    )
    progress.done()
    const encoded = images[0]?.b64_json
    if (encoded === undefined) throw new UsageError('The service returned no image.')
    const bytes = await delivery.take(new Response(Buffer.from(encoded, 'base64')))
    if (args.has('json')) await printJson(terminal, { file: delivery.path, bytes, format })
    return 0
  } finally {
    progress.done()
    await delivery.abandon()
  }
}

/** By the extension of the file, else png. */
function chooseFormat(output = ''): 'png' | 'jpeg' | 'webp' {
  const extension = extname(output).toLowerCase()
  if (extension === '' || output.startsWith('/dev/')) return 'png'
  const format = Object.entries(formats).find(([name]) => name === extension)
  if (format) return format[1]
  throw expected('-o', output, `a name that ends in ${Object.keys(formats).join(', ')}`)
}
