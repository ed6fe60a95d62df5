import { failure } from '../contract/failures.js'
import { isServed } from './is-served.js'
import { findModel } from '../domain/models/catalogue.js'
import type { Handler } from '../contract/handler.js'

export const getModel: Handler<'getModel'> = async ({ input: { id }, services }) => {
  const model = findModel(services.catalogue, id, isServed(services))
  if (!model)
    return failure(
      404,
      `There is no model "${id.slice(0, 100)}". GET /models lists all.`,
      'MODEL_NOT_FOUND',
    )
  return { status: 200, json: model }
}
