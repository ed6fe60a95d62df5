import { failure } from '../contract/failures.js'
import type { Services, Handler } from '../contract/handler.js'
import {
  type IsServed,
  findCapability,
  filterModels,
  findModel,
} from '../domain/models/catalogue.js'

/** Whether a backend serves a model. Speech and video have a backend for every model. */
function isServed(services: Services): IsServed {
  return (id) => {
    const capability = findCapability(services.catalogue, id)
    return capability === 'speech' || capability === 'video' || capability === 'text'
      ? true
      : services[capability].serves(id)
  }
}

/** The models of a type, or all. */
export const listModels: Handler<'listModels'> = async ({ input: { type = 'all' }, services }) => ({
  status: 200,
  json: {
    object: 'list',
    type,
    data: [...filterModels(services.catalogue, type, isServed(services))],
  },
})

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
