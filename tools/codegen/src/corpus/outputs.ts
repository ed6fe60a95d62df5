import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as fc from 'fast-check'
import { transformSync } from 'oxc-transform'

/** What an operation gets or sends: the parameters by their places, and a body. */
export type Parts = {
  readonly path?: Fields
  readonly query?: Fields
  readonly headers?: Fields
  readonly cookies?: Fields
  readonly contentType?: string
  readonly body?: unknown
}
export type Fields = Readonly<Record<string, unknown>>
export type Place = 'path' | 'query' | 'headers' | 'cookies'

export type ServedResponse = {
  readonly status: number
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

export type Validator = { readonly safeParse: (value: unknown) => { readonly success: boolean } }

type ByPlace<Value> = { readonly [place in Place]?: Value } & {
  readonly body?: Readonly<Record<string, Value>>
}

type ClientFacts = {
  readonly id: string
  readonly parameters?: readonly {
    readonly name: string
    readonly field?: string
    readonly in: 'path' | 'query' | 'header' | 'cookie'
  }[]
  readonly body?: BodyFacts
}

export type BodyFacts = {
  readonly contentType: string
  readonly required?: boolean
  readonly take: { readonly name: string }
}

export type ServerFacts = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: Place | 'querystring'
    readonly style: string
    readonly explode: boolean
    readonly shape: { readonly kind: string; readonly values?: readonly unknown[] }
    readonly mediaType?: string
  }[]
  readonly valid: { readonly [place in Place]?: Validator }
  readonly body?: { readonly required: boolean; readonly contents: readonly Content[] }
  readonly responses: Readonly<Record<string, readonly Content[]>>
}

type Content = {
  readonly type: string
  readonly read?: { readonly name: string }
  readonly write?: { readonly name: string }
}

type Methods = Readonly<Record<string, (input: object) => Promise<Result>>>

/** The outputs of a document, loaded as a program loads them. */
export type Outputs = {
  readonly createClient: (options: {
    baseUrl: string
    fetch: (url: string, init: RequestInit) => Promise<Response>
  }) => Methods
  readonly createServer: (
    handlers: Readonly<Record<string, (parts: Parts) => ServedResponse>>,
    options?: { readonly maxBodyBytes?: number },
  ) => { readonly fetch: (request: Request) => Promise<Response> }
  readonly client: readonly ClientFacts[]
  readonly server: readonly ServerFacts[]
  readonly schemas: Readonly<Record<string, Arbitrary>>
  readonly validators: Readonly<Record<string, Validator>>
  readonly requests: Readonly<Record<string, ByPlace<Arbitrary>>>
  readonly responses: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, Arbitrary>>>>>
  >
}

/** Removes the types of generated files, so that Node runs them, and loads them. */
export async function loadOutputs(folder: string): Promise<Outputs> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !path.endsWith('.ts')) continue
    const { code, errors } = transformSync(path, await readFile(path, 'utf8'))
    if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
    await writeFile(path.replace(/\.ts$/, '.js'), code)
  }
  const load = async (path: string): Promise<Record<string, unknown>> =>
    (await import(pathToFileURL(join(folder, path)).href)) as Record<string, unknown>
  // the list has another name where an operation has its name
  const listFacts = async (path: string): Promise<unknown> =>
    Object.values(await load(path)).find(Array.isArray)
  return {
    ...(await load('client/index.js')),
    createServer: (await load('server/index.js'))['createServer'],
    client: await listFacts('client/facts.js'),
    server: await listFacts('server/facts.js'),
    schemas: await load('arbitraries/index.js'),
    validators: await load('zod/index.js'),
    requests: await load('arbitraries/operations.js'),
    responses: await load('arbitraries/responses.js'),
  } as unknown as Outputs
}

/** Files as their bytes, and minus zero, which is written as zero, as zero. */
export async function normalizeValue(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return [...new Uint8Array(await value.arrayBuffer())]
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return Promise.all(value.map(normalizeValue))
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(async ([key, item]) => [key, await normalizeValue(item)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** What a client returned: a stream as its items, and bytes as such. */
export async function readResult(result: Result | undefined): Promise<unknown> {
  const value = result?.data === undefined ? result?.error : result.data
  if (value instanceof Response) return [...new Uint8Array(await value.arrayBuffer())]
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value))
    return normalizeValue(value)
  const items: unknown[] = []
  for await (const item of value as AsyncIterable<unknown>) items.push(item)
  return normalizeValue(items)
}
