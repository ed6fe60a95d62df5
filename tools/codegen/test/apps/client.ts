import { getPet } from './api/client/functions.js'
import { createClient, fetchSend, type ClientOptions } from './api/client/index.js'
import { NewPet } from './api/zod/index.js'

export async function run(options: Pick<ClientOptions, 'fetch'>): Promise<readonly unknown[]> {
  const credentials = { bearer: async () => Promise.resolve('a token') }
  const client = createClient({ baseUrl: 'https://pets.example', credentials, ...options })

  // the status tells the type of the data, and of a declared error
  const rex = await client.getPet({ id: 1 })
  const missing = await client.getPet({ id: 9 })
  const names = [rex.status === 200 && rex.data.name, missing.status === 404 && missing.error.error]

  const isValid = NewPet.safeParse({ name: '' }).success
  const added = await client.addPet({ name: 'Bello' })

  const watched = await client.watchPets()
  const seen: string[] = []
  if (watched.status === 200) for await (const pet of watched.data) seen.push(pet.name)

  // for a browser: a bundle has only the operations that it imports
  const context = { baseUrl: 'https://pets.example', send: fetchSend(options.fetch) }
  const alone = await getPet(context, { id: 1 })
  return [names, isValid, added.status, seen, alone.status]
}
