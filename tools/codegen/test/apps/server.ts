import { serve } from '@hono/node-server'
import { createServer, type Handlers } from './api/server/index.js'

const pets = [{ id: 1, name: 'Rex' }]

const handlers: Handlers = {
  // path, query, headers, cookies and body are read by the document, and validated
  getPet: ({ path }) => {
    const pet = pets.find(({ id }) => id === path.id)
    return pet === undefined
      ? { status: 404, body: { error: 'There is no such pet.' } }
      : { status: 200, body: pet }
  },
  listPets: ({ query: { cursor = '0', limit = 20 } }) => {
    const end = Number(cursor) + limit
    const next = end < pets.length ? { next: String(end) } : {}
    return { status: 200, body: { items: pets.slice(Number(cursor), end), ...next } }
  },
  addPet: ({ body }) => {
    const pet = { ...body, id: pets.length + 1 }
    pets.push(pet)
    return { status: 201, body: pet }
  },
  // items are sent as they are made: also those of an async generator
  watchPets: () => ({ status: 200, body: pets.values() }),
}

export const app = createServer(handlers, {
  before: (operation, context) => {
    const isOpen = operation.security.some((schemes) => schemes.length === 0)
    return isOpen || context.req.header('authorization') === 'Bearer secret'
      ? undefined
      : new Response(null, { status: 401 })
  },
})

export const server = serve({ fetch: app.fetch, port: 0 })
