import {
  InfiniteQueryObserver,
  MutationObserver,
  QueryClient,
  QueryObserver,
} from '@tanstack/query-core'
import { createClient, type ClientOptions } from './api/client/index.js'
import {
  addPetMutation,
  getPetKey,
  getPetQuery,
  listPetsInfiniteQuery,
  listPetsKey,
  OperationError,
} from './api/queries/index.js'

export async function run(options: Pick<ClientOptions, 'fetch'>): Promise<readonly unknown[]> {
  const client = createClient({ baseUrl: 'https://pets.example', ...options })
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } })

  // in React: useQuery(getPetQuery(client, { id: 1 }))
  const pet = await cache.fetchQuery(getPetQuery(client, { id: 1 }))
  const cached = cache.getQueryData(getPetQuery(client, { id: 1 }).queryKey)
  const names: readonly (string | undefined)[] = [pet.name, cached?.name]

  const pages = new InfiniteQueryObserver(cache, listPetsInfiniteQuery(client, { limit: 1 }))
  const { hasNextPage } = await pages.fetchNextPage()
  const second = await pages.fetchNextPage()
  const listed = second.data?.pages.flatMap(({ items }) => items.map(({ id }) => id))

  const adding = new MutationObserver(cache, {
    ...addPetMutation(client),
    onSuccess: async () => cache.invalidateQueries({ queryKey: listPetsKey() }),
  })
  const added = await adding.mutate({ name: 'Bello' })
  const isStale = cache.getQueryState(
    listPetsInfiniteQuery(client, { limit: 1 }).queryKey,
  )?.isInvalidated

  const { error } = await new QueryObserver(cache, getPetQuery(client, { id: 9 })).refetch()
  // the status tells the type of the declared error
  const said =
    error instanceof OperationError && error.failure.status === 404
      ? error.failure.error.error
      : error?.message
  return [
    names,
    hasNextPage,
    listed,
    second.hasNextPage,
    added.name,
    isStale,
    said,
    getPetKey({ id: 9 }),
    getPetKey(),
  ]
}
