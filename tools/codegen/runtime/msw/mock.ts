import { sample, type Arbitrary } from 'fast-check'
import type { Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { http, type HttpHandler, type PathParams } from 'msw'

/** The responses of an operation, as the document has them. */
export type MockFacts = {
  readonly id: string
  /** The status that it responds with unless another is asked for. */
  readonly status: number
  /** By status, range (`4XX`) or `default`: a body for each media type, in the order of the document. */
  readonly responses: Readonly<Record<string, readonly Body[]>>
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

type MockResponse = {
  readonly status: number
  readonly contentType?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, unknown>>
}
export type Mocks = Readonly<
  Record<string, (request: object, context: Context<MockEnv>) => MockResponse>
>

/** A handler for each operation. The n-th response is the same in each run with one seed. */
export function buildMocks(
  operations: readonly MockFacts[],
  statuses: Readonly<Record<string, number | undefined>>,
  seed: number,
): Mocks {
  return Object.fromEntries<Mocks[string]>(
    operations.map(({ id, status: usual, responses, headers = {} }) => {
      let count = 0
      return [
        id,
        (_request, { req }): MockResponse => {
          const status = statuses[id] ?? usual
          const body = chooseBody(findByStatus(responses, status) ?? [], req.header('accept'))
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

/** The body that a request prefers, or the first one: a mock does not respond with 406. */
function chooseBody(bodies: readonly Body[], accept = '*/*'): Body | undefined {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((one) => one.startsWith('q='))?.slice(2)
    return { type, quality: Number(quality ?? 1) }
  })
  const rate = ({ type }: Body): number => {
    const [plain = ''] = type.toLowerCase().split(';')
    const family = `${plain.split('/')[0]}/*`
    const names = [plain.trim(), family, '*/*']
    return (
      names.flatMap((name) => ranges.find((range) => range.type === name)?.quality ?? [])[0] ?? 0
    )
  }
  return bodies.reduce<Body | undefined>(
    (best, body) => (best === undefined || rate(body) > rate(best) ? body : best),
    undefined,
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
    const causeMessage = cause instanceof Error ? cause.message : String(cause)
    const message = `${id}: no body of the response ${status} can be made. Give an example in the document, or a handler in \`handlers\`. ${causeMessage}`
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
type MockBindings = { isUnknown?: boolean }

/** By name, as the compiler would compare the apps of two types that are only alike. */
export type MockEnv = { Bindings: MockBindings }

/** The path of a base URL. */
export function readBasePath(baseUrl: string): string {
  return resolveBase(baseUrl).pathname
}

/** A base URL may be relative to the page, and begin with `*` for any server. */
function resolveBase(baseUrl: string): URL {
  const { location } = globalThis as unknown as { readonly location?: { readonly href: string } }
  return new URL(baseUrl.replace(/^\*\/*/, '/'), location?.href ?? 'http://localhost')
}

/**
 * One handler for all paths of a server. A path that the document has not is left to others: already
 * when a handler is chosen, since MSW 3 lets a request through that its handler does not answer.
 */
export function createHandler(app: Hono<MockEnv>, baseUrl: string): HttpHandler {
  const { origin, pathname } = resolveBase(baseUrl)
  const start = pathname.replace(/\/*$/, '/')
  const isAnyServer = baseUrl.startsWith('*')
  return http.all(
    async ({ request }) => {
      const url = new URL(request.url)
      // not the pattern of a path, in which the brackets of an address have a meaning
      if ((url.origin !== origin && !isAnyServer) || !url.pathname.startsWith(start)) return false
      const seen: MockBindings = {}
      const response = await app.fetch(request.clone(), seen)
      return seen.isUnknown
        ? false
        : { matches: true, params: { response } as unknown as PathParams }
    },
    ({ params }) => (params as unknown as { readonly response: Response }).response,
  )
}
