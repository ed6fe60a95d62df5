import { setupServer } from 'msw/node'
import { createClient } from './api/client/index.js'
import { createMocks } from './api/msw/index.js'

const mocks = setupServer(...createMocks({ seed: 7 }))
mocks.listen({ onUnhandledRequest: 'error' })

const client = createClient({ baseUrl: 'https://pets.example' })

/** The example of the document. */
export const example = await client.getPet({ id: 7 })

/** A value of the schema, the same in each run. */
export const made = await client.listPets()

/** What the document rejects, and undeclared here: a test of its own fails. */
export const rejected = await client.addPet({ name: '' }).catch((error: unknown) => error)

// another status, and a handler of its own, typed by the document
mocks.use(
  ...createMocks({
    statuses: { getPet: 404 },
    handlers: { addPet: ({ body }) => ({ status: 201, body: { id: 1, ...body } }) },
  }),
)
export const missing = await client.getPet({ id: 7 })
export const added = await client.addPet({ name: 'Rex' })

const pets = await client.watchPets()
export const items: unknown[] = []
if (pets.status === 200) for await (const item of pets.data) items.push(item)

export const unknown = await fetch('https://pets.example/cats').catch((error: unknown) => error)

mocks.close()
