import { sample, type Arbitrary } from 'fast-check'
import type { Hono } from 'hono'
import { http, matchRequestUrl, type HttpHandler, type PathParams } from 'msw'

/** What an operation may answer, as the document has it. */
export type MockFacts = {
  readonly id: string
  /** The status that it answers unless another is asked for. */
  readonly status: number
  /** By status, range (`4XX`) or `default`. */
  readonly answers: Readonly<Record<string, Body | undefined>>
}

export type Body = {
  readonly type: string
  readonly kind: 'value' | 'items' | 'bytes'
  /** The first example of the document. */
  readonly example?: unknown
  /** Absent where no value can be made of the schema, as of XML. */
  readonly make?: () => { readonly valid: Arbitrary<unknown> }
}

type Answer = { readonly status: number; readonly contentType?: string; readonly body?: unknown }
export type Mocks = Readonly<Record<string, () => Answer>>

/** A handler for each operation. The n-th answer is the same in each run with one seed. */
export function buildMocks(
  operations: readonly MockFacts[],
  statuses: Readonly<Record<string, number | undefined>>,
  seed: number,
): Mocks {
  return Object.fromEntries(
    operations.map(({ id, status: usual, answers }) => {
      let count = 0
      return [
        id,
        (): Answer => {
          const status = statuses[id] ?? usual
          const body =
            answers[status] ?? answers[`${String(status).charAt(0)}XX`] ?? answers['default']
          return body === undefined
            ? { status }
            : { status, contentType: body.type, body: makeValue(body, seed + count++) }
        },
      ]
    }),
  )
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
