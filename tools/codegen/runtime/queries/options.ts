import type {
  DataTag,
  InfiniteData,
  InfiniteQueryObserverOptions,
  MutationObserverOptions,
  QueryFunctionContext,
  QueryObserverOptions,
} from '@tanstack/query-core'
import { OperationError, type AnyFailure } from './operation-error.js'

/** The operation's id, and its input if it is given. */
export type Key = readonly unknown[]

type AnyResult = {
  readonly status: number
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

/** The data of a success as a cache keeps it: bytes as a Blob, and nothing as null. */
export type DataOf<Result> = Result extends { readonly data: infer Data }
  ? [Data] extends [undefined]
    ? null
    : [Data] extends [Response]
      ? Blob
      : Data
  : never

/** A declared failure, or what the client throws: a lost connection, an undeclared response. */
export type ErrorOf<Result> = OperationError<Extract<Result, AnyFailure>> | Error

type Observed<Result> = QueryObserverOptions<
  DataOf<Result>,
  ErrorOf<Result>,
  DataOf<Result>,
  DataOf<Result>
>

export type Query<Result> = Omit<Observed<Result>, 'queryKey' | 'queryFn'> & {
  readonly queryKey: DataTag<Key, DataOf<Result>, ErrorOf<Result>>
  readonly queryFn: (context: QueryFunctionContext) => Promise<DataOf<Result>>
}

type Pages<Result, Page> = InfiniteData<DataOf<Result>, Page>

export type InfiniteQuery<Result, Page> = Omit<
  InfiniteQueryObserverOptions<DataOf<Result>, ErrorOf<Result>, Pages<Result, Page>, Key, Page>,
  'queryKey' | 'queryFn'
> & {
  readonly queryKey: DataTag<Key, Pages<Result, Page>, ErrorOf<Result>>
  readonly queryFn: (context: QueryFunctionContext<Key, Page>) => Promise<DataOf<Result>>
}

export type Mutation<Result, Input> = MutationObserverOptions<
  DataOf<Result>,
  ErrorOf<Result>,
  Input
> & {
  readonly mutationKey: Key
  readonly mutationFn: (input: Input) => Promise<DataOf<Result>>
}

export function keyOf(id: string, input?: unknown): Key {
  return input === undefined ? [id] : [id, input]
}

export function query<Result extends AnyResult>(
  id: string,
  input: unknown,
  call: (options: { readonly signal: AbortSignal }) => Promise<Result>,
): Query<Result> {
  return {
    queryKey: keyOf(id, input) as Query<Result>['queryKey'],
    queryFn: async ({ signal }) => dataOf(id, await call({ signal })),
  }
}

/** Where the next page begins; undefined behind the last one. */
export type Next<Result, Page> = (data: DataOf<Result>, page: Page) => Page | undefined

export function infiniteQuery<Result extends AnyResult, Page>(
  id: string,
  input: unknown,
  call: (page: Page, options: { readonly signal: AbortSignal }) => Promise<Result>,
  first: Page,
  next: Next<Result, Page>,
): InfiniteQuery<Result, Page> {
  return {
    queryKey: [...keyOf(id), 'pages', ...keyOf(id, input).slice(1)] as unknown as InfiniteQuery<
      Result,
      Page
    >['queryKey'],
    queryFn: async ({ pageParam, signal }) => dataOf(id, await call(pageParam as Page, { signal })),
    initialPageParam: first,
    getNextPageParam: (last, _all, page) => next(last, page),
  }
}

export function mutation<Result extends AnyResult, Input>(
  id: string,
  call: (input: Input) => Promise<Result>,
): Mutation<Result, Input> {
  return { mutationKey: keyOf(id), mutationFn: async (input) => dataOf(id, await call(input)) }
}

async function dataOf<Result extends AnyResult>(
  id: string,
  result: Result,
): Promise<DataOf<Result>> {
  if ('error' in result) throw new OperationError(id, result as AnyResult & AnyFailure)
  const data = result.data instanceof Response ? await result.data.blob() : (result.data ?? null)
  return data as DataOf<Result>
}

/** The next page by the cursor that a page has in a field. */
export function byCursor(
  path: readonly string[],
  more?: readonly string[],
): (data: unknown) => string | undefined {
  return (data) => {
    if (more !== undefined && at(data, more) === false) return undefined
    const cursor = at(data, path)
    return cursor === undefined || cursor === null || cursor === '' ? undefined : (cursor as string)
  }
}

/** The next page by the number of items so far. A page without items is the last. */
export function byOffset(
  path: readonly string[],
): (data: unknown, page: number) => number | undefined {
  return (data, page) => {
    const length = lengthOf(at(data, path))
    return length === 0 ? undefined : page + length
  }
}

/** The next page by its number. A page without items is the last. */
export function byPage(
  path: readonly string[],
): (data: unknown, page: number) => number | undefined {
  return (data, page) => (lengthOf(at(data, path)) === 0 ? undefined : page + 1)
}

function lengthOf(items: unknown): number {
  return Array.isArray(items) ? items.length : 0
}

function at(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    data,
  )
}
