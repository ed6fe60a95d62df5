import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as fc from 'fast-check'
import type { Hono } from 'hono'
import { arbitraries } from '../src/emitters/arbitraries.js'
import { client } from '../src/emitters/client.js'
import { server } from '../src/emitters/server.js'
import { types } from '../src/emitters/types.js'
import { zod } from '../src/emitters/zod.js'
import type { DocumentEmitter } from '../src/emit/emitter.js'
import { generate } from '../src/pipeline/generate.js'
import { folder } from '../src/pipeline/target.js'
import type { OperationFacts as ServerFacts, Place } from '../runtime/server/operation-facts.js'
import type { Shapes } from '../runtime/server/shape.js'
import type { ServerOptions } from '../runtime/server/serve.js'
import type { AnyResponse } from '../runtime/server/write-response.js'
import type { OperationFacts as ClientFacts } from '../runtime/client/call.js'

/** What an operation gets or sends: the parameters by their places, and a body. */
export type Parts = Partial<Record<Place, Readonly<Record<string, unknown>>>> & {
  readonly contentType?: string
  readonly body?: unknown
}

export type Result = {
  readonly status: number
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

type Arbitrary = {
  readonly valid: fc.Arbitrary<unknown>
  readonly nearMiss: fc.Arbitrary<unknown> | undefined
}
type ByMediaType = {
  readonly [part in 'body' | 'querystring']?: Readonly<Record<string, Arbitrary>>
}
type Method = (input?: object, options?: object) => Promise<Result>
type Fetch = (url: string, init?: RequestInit) => Response | Promise<Response>
type Handler = (parts: Parts, context: unknown) => unknown

/** The outputs of a document, loaded as a program of their user loads them. */
export type BothSides = {
  readonly folder: string
  readonly createClient: (options: {
    baseUrl: string
    fetch?: Fetch
  }) => Readonly<Record<string, Method>>
  readonly createServer: (
    handlers: Readonly<Record<string, Handler>>,
    options?: ServerOptions,
  ) => Hono
  readonly clientFacts: readonly ClientFacts[]
  readonly serverFacts: readonly ServerFacts[]
  readonly shapes: Shapes
  /** By operation and place, keyed as the server has them; a body by its media type. */
  readonly arbitraries: Readonly<
    Record<string, Partial<Record<Exclude<Place, 'querystring'>, Arbitrary>> & ByMediaType>
  >
  /** Bodies of responses by operation, status and media type. */
  readonly responses: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, Arbitrary>>>>>
  >
}

/** Inside the package, so that generated imports resolve; ignored by git. Each test has its own. */
export function findWorkFolder(name: string): string {
  return fileURLToPath(new URL(`../.tmp/${name}/`, import.meta.url))
}

/** Generates the outputs of a document, which is given as a value or as a file. */
export async function generateBothSides(
  work: string,
  document: object | string,
  more: readonly DocumentEmitter[] = [],
): Promise<BothSides> {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  const spec = typeof document === 'string' ? document : join(work, 'openapi.json')
  if (typeof document !== 'string') await writeFile(spec, JSON.stringify(document))
  const outputs = [types, zod, client, arbitraries, server, ...more]
  const result = await generate({
    spec,
    cwd: work,
    emitters: outputs,
    target: folder('out', 'test'),
  })
  if (result.status !== 'written') throw new Error(JSON.stringify(result.diagnostics, undefined, 2))
  const load = async (path: string): Promise<unknown> =>
    import(pathToFileURL(join(work, 'out', path)).href)
  const { all } = (await load('client/facts.ts')) as { readonly all: readonly ClientFacts[] }
  const { operations, shapes } = (await load('server/facts.ts')) as {
    readonly operations: readonly ServerFacts[]
    readonly shapes: Shapes
  }
  return {
    folder: join(work, 'out'),
    createClient: ((await load('client/index.ts')) as Pick<BothSides, 'createClient'>).createClient,
    createServer: ((await load('server/index.ts')) as Pick<BothSides, 'createServer'>).createServer,
    clientFacts: all,
    serverFacts: operations,
    shapes,
    arbitraries: (await load('arbitraries/operations.ts')) as BothSides['arbitraries'],
    responses: (await load('arbitraries/responses.ts')) as BothSides['responses'],
  }
}

const places = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const

/** The flat input of the client for some parts. The client knows which field is which. */
export function flattenParts(facts: ClientFacts, parts: Parts): object {
  const input: Record<string, unknown> = {}
  for (const { name, field = name, in: place } of facts.parameters ?? []) {
    const isWhole = place === 'query' && parts.querystring !== undefined
    const values = isWhole ? { [name]: parts.querystring } : parts[places[place]]
    const key = place === 'header' ? name.toLowerCase() : name
    if (values !== undefined && Object.hasOwn(values, key)) input[field] = values[key]
  }
  if (parts.body === undefined) return input
  const take = facts.body?.take.name
  if (take === 'takeBody') return { ...input, body: parts.body }
  // fields whose names are taken stand in a field of their own, as others may
  return take === 'takeNested'
    ? { ...input, requestBody: parts.body }
    : { ...input, ...(parts.body as object) }
}

/** Calls an operation; the server answers what `answer` makes of what it gets. */
export function createCaller(sides: BothSides, baseUrl: string, fetch?: Fetch) {
  const methods = sides.createClient({ baseUrl, ...(fetch !== undefined && { fetch }) })
  return async (id: string, parts: Parts): Promise<Result> => {
    const facts = sides.clientFacts.find((one) => one.id === id)
    if (facts === undefined) throw new Error(`There is no operation ${id}.`)
    const method = methods[id]
    if (method === undefined) throw new Error(`The client has no method ${id}.`)
    return method(flattenParts(facts, parts))
  }
}

/** A handler for each operation. It keeps its requests. */
export function createRecorder(
  sides: BothSides,
  response: (facts: ServerFacts, parts: Parts) => AnyResponse,
) {
  const got: Parts[] = []
  const handlers = Object.fromEntries(
    sides.serverFacts.map((facts) => [
      facts.id,
      (parts: Parts): AnyResponse => {
        got.push(parts)
        return response(facts, parts)
      },
    ]),
  )
  return { got, handlers }
}

/** What makes the parameters of each place of an operation. */
export function listPartArbitraries(
  sides: BothSides,
  id: string,
): readonly (readonly [Place, Arbitrary])[] {
  const { querystring = {}, path, query, headers, cookies } = sides.arbitraries[id] ?? {}
  const [whole] = Object.values(querystring)
  const all = Object.entries({ path, query, headers, cookies, querystring: whole })
  return all.flatMap(([place, arbitrary]) =>
    arbitrary === undefined ? [] : [[place as Place, arbitrary] as const],
  )
}

/** Files as their bytes, and minus zero, which is written as zero, as zero. */
export async function normalizeValue(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return [...new Uint8Array(await value.arrayBuffer())]
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return Promise.all(value.map(normalizeValue))
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await normalizeValue(item)] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}
