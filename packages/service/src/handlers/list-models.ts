import { isServed } from './is-served.js'
import { filterModels } from '../domain/models/catalogue.js'
import type { Handler } from '../contract/handler.js'

/** The models of a type, or all. */
export const listModels: Handler<'listModels'> = async ({ input: { type = 'all' }, services }) => ({
  status: 200,
  json: {
    object: 'list',
    type,
    data: [...filterModels(services.catalogue, type, isServed(services))],
  },
})
