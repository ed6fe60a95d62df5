import { sample, type Arbitrary } from 'fast-check'
import type { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { http, matchRequestUrl, type HttpHandler, type PathParams } from 'msw'

/** What an operation may answer, as the document has it. */
export type MockFacts = {
  readonly id: string
  /** The status that it answers unless another is asked for. */
  readonly status: number
  /** By status, range (`4XX`) or `default`. */
  readonly answers: Readonly<Record<string, Body | undefined>>
  /** By the same keys and by name, the headers that a response always has. */
  readonly headers?: Readonly<Record<string, Readonly<Record<string, Header>>>>
}

export type Header = {
  /** The first example of the document, or the default. */
  readonly example?: unknown
  readonly make: () => { readonly valid: Arbitrary<unknown> }
  /** A value that is sent as JSON. */
  readonly isJson?: true
}

export type Body = {
  readonly type: string
  readonly kind: 'value' | 'items' | 'bytes'
  /** The first example of the document. */
  readonly example?: unknown
  /** Absent where no value can be made of the schema, as of XML. */
  readonly make?: () => { readonly valid: Arbitrary<unknown> }
}

type Answer = {
  readonly status: number
  readonly contentType?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, unknown>>
}
export type Mocks = Readonly<Record<string, () => Answer>>

/** A handler for each operation. The n-th answer is the same in each run with one seed. */
export function buildMocks(
  operations: readonly MockFacts[],
  statuses: Readonly<Record<string, number | undefined>>,
  seed: number,
): Mocks {
  return Object.fromEntries(
    operations.map(({ id, status: usual, answers, headers = {} }) => {
      let count = 0
      return [
        id,
        (): Answer => {
          const status = statuses[id] ?? usual
          const body = findByStatus(answers, status)
          const run = seed + count++
          return {
            status,
            headers: makeHeaders(findByStatus(headers, status) ?? {}, run),
            ...(body !== undefined && {
              contentType: body.type,
              body: makeBody(id, status, body, run),
            }),
          }
        },
      ]
    }),
  )
}

function findByStatus<Of>(all: Readonly<Record<string, Of>>, status: number): Of | undefined {
  const key = [String(status), `${String(status).charAt(0)}XX`, 'default'].find((one) =>
    Object.hasOwn(all, one),
  )
  return key === undefined ? undefined : all[key]
}

function makeHeaders(
  headers: Readonly<Record<string, Header>>,
  seed: number,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { example, make, isJson }]) => {
      const value = example ?? sample(make().valid, { seed, numRuns: 200 }).find(isWritable)
      return [name, isJson === true ? JSON.stringify(value) : value]
    }),
  )
}

/** Whether a header can hold a value: it takes printable ASCII, and is left out if it is empty. */
function isWritable(value: unknown): boolean {
  return /^(?!(?:null|""|\[\]|\{\})$)[!-~]+$/.test(JSON.stringify(value))
}

/** Whoever reads the response sees why there is no body. */
function makeBody(id: string, status: number, body: Body, seed: number): unknown {
  try {
    return makeValue(body, seed)
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    const message = `${id}: no body of the response ${status} can be made. Give an example in the document, or a handler in \`handlers\`. ${said}`
    throw new HTTPException(500, { cause, message })
  }
}

function makeValue({ kind, example, make }: Body, seed: number): unknown {
  if (kind === 'bytes') return new Blob([])
  if (example !== undefined) return example
  const values =
    make === undefined ? [''] : sample(make().valid, { seed, numRuns: kind === 'items' ? 3 : 1 })
  return kind === 'items' ? values : values[0]
}

/** What the app finds out about a request. */
type Seen = { isUnknown?: boolean }

/** By name, as the compiler would compare the apps of two types that are only alike. */
export type MockEnv = { Bindings: Seen }

/** The path of a base URL, which may be relative. */
export function readBasePath(baseUrl: string): string {
  return new URL(baseUrl, 'http://localhost').pathname
}

/**
 * One handler for all paths of a server. A path that the document has not is left to others: already
 * when a handler is chosen, since MSW 3 lets a request through that its handler does not answer.
 */
export function createHandler(app: Hono<MockEnv>, baseUrl: string): HttpHandler {
  const path = `${baseUrl.replace(/\/+$/, '')}/*`
  return http.all(
    async ({ request }) => {
      if (!matchRequestUrl(new URL(request.url), path).matches) return false
      const seen: Seen = {}
      const response = await app.fetch(request.clone(), seen)
      return seen.isUnknown
        ? false
        : { matches: true, params: { response } as unknown as PathParams }
    },
    ({ params }) => (params as unknown as { readonly response: Response }).response,
  )
}
