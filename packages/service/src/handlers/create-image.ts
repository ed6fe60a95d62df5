import { detectFormat } from '../domain/image/image.js'
import { priceImages } from '../domain/models/image-models.js'
import type { Handler } from '../contract/handler.js'

/** Generates images. Their URLs point to this service. */
export const createImage: Handler<'createImage'> = async (context) => {
  const { input, order, caller, callerId, cost, services, signal } = context
  const { image, images, shown } = services
  const { model, n, width, height, quality, format, size } = order
  const { background, style } = input
  let host: string | undefined
  const result = await image.generate(
    {
      model: model.id,
      caller: callerId,
      prompt: input.prompt,
      n,
      width,
      height,
      format,
      ...(quality !== undefined && { quality }),
      options: {
        ...(typeof background === 'string' && { background }),
        ...(typeof style === 'string' && { style }),
      },
      onServed: (call) => (host = call.host),
      cost,
    },
    signal,
  )
  const data = await Promise.all(
    result.map(async ({ bytes, revisedPrompt }) => ({
      ...(input.response_format === 'url'
        ? { url: await images.save(caller.account, bytes, detectFormat(bytes) ?? format) }
        : { b64_json: Buffer.from(bytes).toString('base64') }),
      ...(revisedPrompt !== undefined && { revised_prompt: revisedPrompt }),
    })),
  )
  return {
    status: 200,
    json: { created: Math.floor(services.now() / 1000), data },
    headers: { 'x-farebox-backend': shown(image.describe(model.id, host)) },
    modelId: model.id,
    owed: () =>
      priceImages(model, {
        size,
        images: data.length,
        ...(quality !== undefined && { quality }),
      }),
  }
}
