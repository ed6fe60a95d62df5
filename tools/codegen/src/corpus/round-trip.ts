import * as fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import {
  normalizeValue,
  readResult,
  type ServedResponse,
  type BodyFacts,
  type Fields,
  type Outputs,
  type Parts,
  type Result,
  type ServerFacts,
} from './outputs.js'

/** Something that did not hold. `kind` is the same for all of a kind. */
export type Failure = { readonly kind: string; readonly operation: string; readonly detail: string }

export type Report = {
  readonly operations: number
  readonly calls: number
  /** Operations without a value that the wire carries. */
  readonly untried: number
  readonly failures: readonly Failure[]
}

/** How much of a document is tried. */
export type Effort = { readonly values: number; readonly operations: number; readonly seed: number }

/** Sees each request of a client before the server gets it. Returns what is wrong with it. */
export type Judge = (
  operation: ServerFacts,
  parts: Parts,
  request: { readonly url: string; readonly init: RequestInit },
) => readonly string[]

/**
 * Calls operations by the generated client through the generated server: what is sent is what the
 * handler gets, and what it returns is what the client returns.
 */
export async function roundTrip(outputs: Outputs, effort: Effort, judge: Judge): Promise<Report> {
  const failures: Failure[] = []
  const state: { got?: Parts; called?: string; response: ServedResponse; sent?: SentRequest } = {
    response: { status: 204 },
  }
  const handlers = Object.fromEntries(
    outputs.server.map(({ id }) => [
      id,
      (parts: Parts) => {
        state.got = parts
        state.called = id
        return state.response
      },
    ]),
  )
  const app = outputs.createServer(handlers)
  const client = outputs.createClient({
    baseUrl: 'http://corpus.example',
    fetch: async (url, init) => {
      state.sent = { url, init }
      return app.fetch(new Request(url, init))
    },
  })
  let calls = 0
  let untried = 0
  // fetch does not send TRACE
  const callable = outputs.server.filter(({ method }) => !/^(?:trace|connect|track)$/i.test(method))
  const chosen = sampleEvenly(callable, effort.operations, effort.seed)
  const routes = new Map<string, number>()
  for (const route of callable.map(readRoute)) routes.set(route, (routes.get(route) ?? 0) + 1)
  for (const operation of chosen) {
    const { id } = operation
    // another one may get the request, as the warnings FB4036 and FB4040 say
    const isAmbiguous = (routes.get(readRoute(operation)) ?? 0) > 1
    const fail = (kind: string, detail: unknown): void => {
      if (!isAmbiguous || kind === 'arbitraries')
        failures.push({ kind, operation: id, detail: shorten(detail) })
    }
    const responses = sampleResponses(outputs, operation, effort, fail)
    const requests = sampleParts(outputs, operation, effort, fail)
    const hasResponse = responses.length > 0 || Object.keys(operation.responses).length === 0
    if (requests.length === 0 || !hasResponse) untried++
    if (!hasResponse) continue
    for (let index = 0; index < Math.max(responses.length, requests.length); index++) {
      const parts = requests[index % requests.length]
      const response = responses[index % responses.length] ?? { status: 204 }
      if (parts === undefined) break
      state.response = response
      delete state.got
      delete state.called
      calls++
      try {
        const input = flattenParts(outputs, id, parts)
        let result = await call(client[id], input, parts)
        // of several media types, the facts do not say which one is given as a whole
        const { called, got: received } = state as { called?: string; got?: Parts }
        if (parts.body !== undefined && called === id && received?.body === undefined)
          result = await client[id]?.({
            ...input,
            body: parts.body,
            contentType: parts.contentType,
          })
        const value = await readResult(result)
        if (state.called === undefined)
          fail('request rejected', {
            status: result?.status,
            value,
            parts,
            sent: describeRequest(state),
          })
        else if (state.called !== id) fail('another operation', { called: state.called, parts })
        else {
          const { contentType: _, ...got } = (state.got ?? {}) as Parts
          const { contentType: __, ...sent } = parts
          const isForm = !/json/i.test(parts.contentType ?? 'json')
          if (!isSame(await normalizeValue(got), await normalizeValue(sent), isForm))
            fail('request changed', {
              sent: await normalizeValue(sent),
              got: await normalizeValue(got),
            })
          const expected = await normalizeValue(response.body)
          if (result?.status !== response.status || !isDeepStrictEqual(value, expected))
            fail('response changed', { response, status: result?.status, value })
        }
        if (state.sent !== undefined)
          for (const fault of judge(operation, parts, state.sent)) fail('invalid request', fault)
      } catch (error) {
        fail(`error ${classifyError(error)}`, {
          message: error instanceof Error ? error.message : String(error),
          parts,
          response,
        })
      }
    }
  }
  return { operations: chosen.length, calls, untried, failures }
}

/** What a server can tell operations apart by. */
function readRoute({ method, path, parameters }: ServerFacts): string {
  const route = path.replace(/[?#].*/s, '').replaceAll(/\{[^{}]*\}/g, '{}')
  const constants = parameters.flatMap(({ in: place, name, shape }) =>
    place === 'query' && shape.values?.length === 1 ? [`${name}=${String(shape.values?.[0])}`] : [],
  )
  return `${method} ${route} ${constants.join('&')}`
}

/** A form represents properties that its schema does not name as strings. */
function isSame(got: unknown, sent: unknown, isForm: boolean): boolean {
  if (!isForm) return isDeepStrictEqual(got, sent)
  const texts = (_key: string, value: unknown): unknown =>
    typeof value === 'object' || value === undefined
      ? value
      : JSON.stringify(value).replace(/^"|"$/g, '')
  const [one, other] = [got, sent].map(
    (value) => JSON.parse(JSON.stringify(value, texts)) as unknown,
  )
  return isDeepStrictEqual(one, other)
}

type SentRequest = { readonly url: string; readonly init: RequestInit }

function describeRequest({ sent }: { sent?: SentRequest }): unknown {
  return sent && { url: sent.url, body: typeof sent.init.body === 'string' ? sent.init.body : '' }
}

function classifyError(error: unknown): string {
  if (!(error instanceof Error)) return 'thrown'
  const { reason } = error as { readonly reason?: unknown }
  return `${error.name}${typeof reason === 'string' ? ` ${reason}` : ''}`
}

/** Some of the operations, spread over all of them. */
function sampleEvenly<Item>(all: readonly Item[], most: number, seed: number): readonly Item[] {
  if (all.length <= most) return all
  const step = all.length / most
  const offset = seed % Math.ceil(step)
  return Array.from(
    { length: most },
    (_, index) => all[Math.floor(index * step + offset) % all.length],
  ).filter((item) => item !== undefined)
}

function shorten(detail: unknown): string {
  const text =
    typeof detail === 'string'
      ? detail
      : JSON.stringify(detail, (_key, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        )
  return text.slice(0, 600)
}

type Fail = (kind: string, detail: unknown) => void

function draw(
  arbitrary: () => { readonly valid: fc.Arbitrary<unknown> } | undefined,
  keep: (value: unknown) => boolean,
  { values, seed }: Effort,
  fail: () => void = () => undefined,
): readonly unknown[] {
  try {
    const found = arbitrary()
    if (found === undefined) return []
    return fc
      .sample(found.valid, { numRuns: values * 10, seed })
      .filter(keep)
      .slice(0, values)
  } catch {
    fail()
    return []
  }
}

/** JSON, strings and bytes for each declared status; otherwise a status without a body. */
function sampleResponses(
  outputs: Outputs,
  { id, method, responses }: ServerFacts,
  effort: Effort,
  fail: Fail,
): readonly ServedResponse[] {
  return Object.entries(responses).flatMap(([key, contents]): readonly ServedResponse[] => {
    const status = key === 'default' ? 500 : Number(key.replace('XX', '99'))
    if (status < 200) return []
    if (contents.length === 0 || method === 'HEAD') return [{ status }]
    return contents.flatMap(({ type, write }): readonly ServedResponse[] => {
      const isBytes = write?.name === 'writeBytes'
      const contentType = type
        .replace('*/*', isBytes ? 'application/octet-stream' : 'application/json')
        .replace('*', 'x')
      if (isBytes)
        return [{ status, contentType, body: new Blob(['bytes'], { type: contentType }) }]
      if (write?.name === 'writeText') return [{ status, contentType, body: '<a>text</a>' }]
      if (write?.name !== 'writeJson' && write?.name !== 'writeLines') return []
      const bodies = draw(
        () => outputs.responses[id]?.[key]?.[type],
        isJsonValue,
        effort,
        () => fail('arbitraries', { response: key, type }),
      )
      return write.name === 'writeLines'
        ? [{ status, contentType, body: bodies }]
        : bodies.map((body) => ({ status, contentType, body }))
    })
  })
}

/** Requests that the wire can carry, with each declared media type of a body. */
function sampleParts(
  outputs: Outputs,
  operation: ServerFacts,
  effort: Effort,
  fail: Fail,
): readonly Parts[] {
  const { id, body } = operation
  const own = outputs.requests[id] ?? {}
  const places = (['path', 'query', 'headers', 'cookies'] as const).filter(
    (place) => own[place] !== undefined,
  )
  const drawn = places.map((place) => {
    const names = new Set(
      operation.parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name }) => (place === 'headers' ? name.toLowerCase() : name)),
    )
    const isSendable = (name: string, value: unknown): boolean =>
      names.has(name) && isCarried(value) && (place !== 'headers' || isHeader(value))
    // an optional value that the wire does not carry is left out
    const reduce = (value: unknown): Fields =>
      Object.fromEntries(
        Object.entries(value as Fields).filter(([name, item]) => isSendable(name, item)),
      )
    const values = draw(
      () => own[place],
      (value) => operation.valid[place]?.safeParse(reduce(value)).success !== false,
      effort,
      () => fail('arbitraries', { place }),
    ).map(reduce)
    return { place, values }
  })
  if (drawn.some(({ values }) => values.length === 0)) return []
  const bare = Array.from({ length: effort.values }, (_, index): Parts =>
    Object.fromEntries(drawn.map(({ place, values }) => [place, values[index % values.length]])),
  )
  if (body === undefined) return bare
  const withBody = body.contents.flatMap(({ type, read }): readonly Parts[] => {
    const contentType = type
    if (read?.name === 'readBytes')
      return bare.slice(0, 1).map((parts) => ({ ...parts, contentType, body: new Blob(['bytes']) }))
    const keep = findBodyFilter(read?.name)
    if (keep === undefined) return []
    const bodies = draw(
      () => own.body?.[type],
      keep,
      effort,
      () => fail('arbitraries', { body: type }),
    )
    return bodies.map((one, index) => ({ ...bare[index % bare.length], contentType, body: one }))
  })
  return body.required ? withBody : [...withBody, ...bare.slice(0, 1)]
}

function findBodyFilter(reader: string | undefined): ((value: unknown) => boolean) | undefined {
  if (reader === 'readJson') return (value) => isJsonValue(value) && hasFields(value)
  if (reader === 'readForm' || reader === 'readMultipart') return isCarriedForm
  return undefined
}

/** An optional flat body without fields is left out. */
function hasFields(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0
}

function isJsonValue(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value)
  if (value instanceof Uint8Array) return false
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([key, item]) => !/\p{Surrogate}/u.test(key) && isJsonValue(item),
  )
}

/** A style has no null, no empty list or record; a path has no empty text and no dots. */
function isCarried(value: unknown): boolean {
  if (value === null || value === '' || value === '.' || value === '..') return false
  if (value instanceof Uint8Array) return true
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value)
  if (typeof value !== 'object') return true
  const items: readonly unknown[] = Object.values(value)
  return items.length > 0 && items.every((item) => isCarried(item) && !isNested(item))
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

function isHeader(value: unknown): boolean {
  const texts = typeof value === 'object' ? Object.values(value as object) : [value]
  return texts.every(
    (text) =>
      typeof text !== 'string' || (/^[!-~]([ -~]*[!-~])?$/.test(text) && !text.includes(',')),
  )
}

function isCarriedForm(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return (
    hasFields(value) &&
    Object.values(value).every(
      (item) => item !== null && (!Array.isArray(item) || item.length > 0) && isCarried(item),
    )
  )
}

/** The flat input of the client for some parts. */
function flattenParts(outputs: Outputs, id: string, parts: Parts): object {
  const facts = outputs.client.find((one) => one.id === id)
  const input: Record<string, unknown> = {}
  const places = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const
  for (const { name, field = name, in: place } of facts?.parameters ?? []) {
    const values = parts[places[place]]
    const key = place === 'header' ? name.toLowerCase() : name
    if (values !== undefined && Object.hasOwn(values, key)) input[field] = values[key]
  }
  const { contents = [] } = outputs.server.find((one) => one.id === id)?.body ?? {}
  if (parts.body === undefined) return input
  const choice = contents.length > 1 ? { contentType: parts.contentType } : {}
  return { ...input, ...choice, ...flattenBody(facts?.body, parts, new Set(Object.keys(input))) }
}

/** Fields whose names are taken are nested in a separate field; any other field may be as well. */
function flattenBody(
  facts: BodyFacts | undefined,
  { body }: Parts,
  takenNames: ReadonlySet<string>,
): object {
  const take = facts?.take.name
  if (take === 'takeBody' || !isPlain(body)) return { body }
  if (take === 'takeNested') return { requestBody: body }
  const fields = Object.entries(body)
  const nested = fields.filter(([name]) => takenNames.has(name))
  if (nested.length === 0) return body
  const rest = fields.filter(([name]) => !takenNames.has(name))
  return { ...Object.fromEntries(rest), requestBody: Object.fromEntries(nested) }
}

function isPlain(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

/** With several media types, the facts do not say which one consists of fields. */
async function call(
  method: ((input: object) => Promise<Result>) | undefined,
  input: object,
  { body, contentType }: Parts,
): Promise<Result | undefined> {
  try {
    return await method?.(input)
  } catch (error) {
    if (!(error instanceof Error && /the body is missing|must be/.test(error.message))) throw error
    return method?.({ ...input, body, contentType })
  }
}
