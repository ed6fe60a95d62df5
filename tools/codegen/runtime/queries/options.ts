import type {
  DataTag,
  InfiniteData,
  QueryFunctionContext,
  QueryObserverOptions,
} from '@tanstack/query-core'
import { findNextInput, type PageRule } from '../pages/pages.js'

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

/**
 * Has the type of the error. Other options of the library are left out: their types differ between
 * its adapters and between the versions of version 5.
 */
type RetryOptions<Result> = Pick<
  QueryObserverOptions<DataOf<Result>, ErrorOf<Result>>,
  'retry' | 'retryDelay'
>

export type Query<Result> = RetryOptions<Result> & {
  readonly queryKey: DataTag<Key, DataOf<Result>>
  readonly queryFn: (context: QueryFunctionContext) => Promise<DataOf<Result>>
}

export type InfiniteQuery<Result, Page, Data = DataOf<Result>> = RetryOptions<Result> & {
  readonly queryKey: DataTag<Key, InfiniteData<Data, Page>>
  readonly queryFn: (context: QueryFunctionContext<Key, Page>) => Promise<Data>
  readonly initialPageParam: Page
  readonly getNextPageParam: (last: Data, all: Data[], page: Page) => Page | null | undefined
}

/** A page whose Link header names the next one. A cache can store it. */
export type LinkedPage<Result, Page> = {
  readonly data: DataOf<Result>
  /** What the input of the next page has in addition; null behind the last page. */
  readonly next: Page | null
}

export type Mutation<Result, Input> = RetryOptions<Result> & {
  readonly mutationKey: Key
  readonly mutationFn: (input: Input) => Promise<DataOf<Result>>
}

export function buildKey(id: string, input?: unknown): Key {
  return input === undefined ? [id] : [id, input]
}

export function buildQuery<Result extends AnyResult>(
  id: string,
  input: unknown,
  call: (options: { readonly signal: AbortSignal }) => Promise<Result>,
): Query<Result> {
  return {
    queryKey: buildKey(id, input) as Query<Result>['queryKey'],
    queryFn: async ({ signal }) => readData(id, await call({ signal })),
  }
}

type Signal = { readonly signal: AbortSignal }
type PageContext<Page> = Signal & { readonly pageParam: Page }

/** `call` gets the value of the field that `rule` names. */
export function buildInfiniteQuery<Result extends AnyResult, Page>(
  id: string,
  input: unknown,
  call: (page: Page, options: Signal) => Promise<Result>,
  first: Page,
  rule: Exclude<PageRule, { readonly by: 'link' }>,
): InfiniteQuery<Result, Page> {
  return {
    queryKey: buildPagesKey(id, input) as InfiniteQuery<Result, Page>['queryKey'],
    queryFn: async (context) => {
      const { pageParam, signal } = context as unknown as PageContext<Page>
      return readData(id, await call(pageParam, { signal }))
    },
    initialPageParam: first,
    getNextPageParam: (last, _all, page) =>
      findNextInput(rule, { [rule.field]: page }, last)?.[rule.field] as Page | undefined,
  }
}

/** `fields` are those that a link may set, by the names of their parameters. */
export function buildLinkedQuery<Result extends AnyResult, Page extends object>(
  id: string,
  input: object | undefined,
  call: (page: Page, options: Signal) => Promise<Result>,
  fields: Readonly<Record<string, string>>,
): InfiniteQuery<Result, Page, LinkedPage<Result, Page>> {
  return {
    queryKey: buildPagesKey(id, input) as InfiniteQuery<
      Result,
      Page,
      LinkedPage<Result, Page>
    >['queryKey'],
    queryFn: async (context) => {
      const { pageParam: page, signal } = context as unknown as PageContext<Page>
      const result = await call(page, { signal })
      const data = await readData(id, result)
      const next = findNextInput(
        { by: 'link', fields },
        { ...input, ...page } as Readonly<Record<string, unknown>>,
        data,
        result.response,
      )
      return { data, next: (next as Page | undefined) ?? null }
    },
    initialPageParam: {} as Page,
    getNextPageParam: ({ next }) => next,
  }
}

function buildPagesKey(id: string, input: unknown): Key {
  return [...buildKey(id), 'pages', ...buildKey(id, input).slice(1)]
}

export function buildMutation<Result extends AnyResult, Input>(
  id: string,
  call: (input: Input) => Promise<Result>,
): Mutation<Result, Input> {
  return { mutationKey: buildKey(id), mutationFn: async (input) => readData(id, await call(input)) }
}

async function readData<Result extends AnyResult>(
  id: string,
  result: Result,
): Promise<DataOf<Result>> {
  if ('error' in result) throw new OperationError(id, result as AnyResult & AnyFailure)
  const data = result.data instanceof Response ? await result.data.blob() : (result.data ?? null)
  return data as DataOf<Result>
}

export type AnyFailure = {
  readonly status: number
  readonly error: unknown
  readonly response: Response
}

/** A response of a failure that the document declares. */
export class OperationError<Failure extends AnyFailure = AnyFailure> extends Error {
  override readonly name = 'OperationError'
  /** The operation's id. */
  declare readonly operation: string
  /** `status` tells what `error` is. */
  declare readonly failure: Failure

  constructor(operation: string, failure: Failure) {
    super(`${operation}: the response has status ${failure.status}.`)
    Object.assign(this, { operation, failure })
  }
}
