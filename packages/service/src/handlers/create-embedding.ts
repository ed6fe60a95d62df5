import type { Handler } from '../contract/handler.js'
import { countInputs, type Embeddings } from '../domain/embedding/embedding.js'
import { priceEmbedding } from '../domain/models/embedding-models.js'

/** Turns each input into a vector. */
export const createEmbedding: Handler<'createEmbedding'> = async (context) => {
  const { input, order, callerId, cost, services, signal } = context
  const { embedding, shown } = services
  const { model, inputs, dimensions } = order
  let host: string | undefined
  const result = await embedding.embed(
    {
      model: model.id,
      caller: callerId,
      inputs,
      ...(dimensions !== undefined && { dimensions }),
      onServed: (call) => (host = call.host),
      cost,
    },
    signal,
  )
  const tokens = result.promptTokens ?? countInputs(order)
  return {
    status: 200,
    json: {
      object: 'list',
      data: result.vectors.map((vector, index) => ({
        object: 'embedding' as const,
        index,
        embedding: input.encoding_format === 'base64' ? toBase64(vector) : [...vector],
      })),
      model: model.id,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
    headers: { 'x-farebox-backend': shown(embedding.describe(model.id, host)) },
    modelId: model.id,
    owed: () => priceEmbedding(model, tokens),
  }
}

/** The 32-bit floats, little-endian. */
function toBase64(vector: Embeddings['vectors'][number]): string {
  const bytes = Buffer.alloc(4 * vector.length)
  for (let at = 0; at < vector.length; at++) bytes.writeFloatLE(vector[at] ?? 0, 4 * at)
  return bytes.toString('base64')
}
