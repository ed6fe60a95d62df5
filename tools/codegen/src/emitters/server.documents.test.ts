import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { serve, type ServerType } from '@hono/node-server'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  generateBothSides,
  createCaller,
  listPartArbitraries,
  normalizeValue,
  createRecorder,
  findWorkFolder,
  type BothSides,
  type Parts,
} from '../../test/both-sides.js'
import type { AnyResponse } from '../../runtime/server/write-response.js'
import { listLeaves } from '../../runtime/server/shape.js'
import type { Place } from '../../runtime/server/operation-facts.js'
import { sampleCases } from '../../../internal/testing/src/rounds.js'

// The generated client calls the generated server over HTTP. What is sent is what the handler gets,
// and what the handler responds with is what the client gets, for documents of ours and of others.

const examples = dirname(
  createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'),
)
const documents: Readonly<Record<string, string>> = {
  'our contract': fileURLToPath(new URL('../../../../spec/openapi.yaml', import.meta.url)),
  'train travel': join(examples, '3.1/json/train-travel.json'),
  petstore: join(examples, '3.0/json/petstore.json'),
  'star trek': join(examples, '3.0/json/star-trek.json'),
  'common parameters': join(examples, '3.0/json/parameters-common.json'),
  'form data': join(examples, '3.0/json/form-data.json'),
  cookies: join(examples, '3.0/json/parameters-cookies.json'),
}

describe.each(sampleCases(Object.entries(documents)))('%s', (name, path) => {
  const work = findWorkFolder(`server-${name.replaceAll(' ', '-')}`)
  let sides: BothSides
  let http: ServerType
  let baseUrl: string
  let response: AnyResponse
  let got: Parts[]

  beforeAll(async () => {
    sides = await generateBothSides(work, path)
    const recorded = createRecorder(sides, () => response)
    got = recorded.got
    const app = sides.createServer(recorded.handlers, { basePath: '/v1' })
    await new Promise<void>((listening) => {
      http = serve(
        { fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false },
        () => listening(),
      )
    })
    baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`
  })
  afterAll(async () => {
    await new Promise((closed) => http.close(closed))
    await rm(work, { recursive: true, force: true })
  })

  it('the handler receives what the client sends, and the client receives what the handler returns', async () => {
    const call = createCaller(sides, baseUrl)
    let sent = 0
    for (const { id } of sides.serverFacts) {
      const responses = sampleResponses(sides, id)
      for (const [index, parts] of sampleParts(sides, id).entries()) {
        response = responses[index % responses.length] ?? { status: 204 }
        got.length = 0
        const result = await call(id, parts)
        sent++
        const { contentType: _, ...others } = got[0] ?? {}
        expect([id, await normalizeValue(others)]).toEqual([id, await normalizeValue(parts)])
        expect([id, result.status, await normalizeValue(result.data ?? result.error)]).toEqual([
          id,
          response.status,
          await normalizeValue(response.body),
        ])
        expect([id, result.response.headers.get('content-type')?.split(';')[0]]).toEqual([
          id,
          findContentType(response),
        ])
      }
    }
    expect(sent).toBeGreaterThanOrEqual(Math.max(sides.serverFacts.length, 1))
  })
})

/** JSON bodies, of each declared status; a status without a body otherwise. */
function sampleResponses(sides: BothSides, id: string): readonly AnyResponse[] {
  const facts = sides.serverFacts.find((one) => one.id === id)
  const declared = Object.entries(facts?.responses ?? {})
  const all = declared.flatMap(([key, contents]): readonly AnyResponse[] => {
    const status = key === 'default' ? 500 : Number(key.replace('XX', '99'))
    if (contents.length === 0) return [{ status }]
    const arbitraries = Object.entries(sides.responses[id]?.[key] ?? {}).filter(
      ([type]) => type === 'application/json',
    )
    return arbitraries.flatMap(([contentType, { valid }]) =>
      fc.sample(valid, { numRuns: 2, seed: 1 }).map((body) => ({ status, contentType, body })),
    )
  })
  return all
}

/** Requests of valid parts that the wire can carry. Without a body if the client sends another. */
function sampleParts(sides: BothSides, id: string): readonly Parts[] {
  const client = sides.clientFacts.find((one) => one.id === id)
  const type = client?.body?.contentType ?? ''
  const isForm =
    type.startsWith('multipart/form-data') || type === 'application/x-www-form-urlencoded'
  const body =
    isForm || type === 'application/json' ? sides.arbitraries[id]?.body?.[type] : undefined
  const places = listPartArbitraries(sides, id).map(
    ([place, { valid }]) => [place, selectDeclared(sides, id, place, valid)] as const,
  )
  const parts = fc.record({
    ...Object.fromEntries(places),
    ...(body !== undefined && {
      body: body.valid.filter((value) =>
        isForm ? isCarriedForm(value, listFields(sides, id)) : hasFields(value),
      ),
    }),
  })
  return fc.sample(parts, { numRuns: 3, seed: 1 })
}

/** The declared parameters of a place; the client sends no others. */
function selectDeclared(
  sides: BothSides,
  id: string,
  place: Place,
  valid: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const names = (sides.serverFacts.find((one) => one.id === id)?.parameters ?? [])
    .filter((parameter) => parameter.in === place)
    .map(({ name }) => (place === 'headers' ? name.toLowerCase() : name))
  return valid
    .map((values) =>
      Object.fromEntries(Object.entries(values as object).filter(([name]) => names.includes(name))),
    )
    .filter((values) =>
      Object.values(values).every(
        (value) => isCarried(value) && (place !== 'headers' || isHeader(value)),
      ),
    )
}

/** A style has no null, no empty list and no empty record; a path has no empty text and no dots. */
function isCarried(value: unknown): boolean {
  if (value === null || value === '' || value === '.' || value === '..') return false
  if (value instanceof Uint8Array) return true
  if (typeof value !== 'object') return typeof value !== 'string' || !/\p{Surrogate}/u.test(value)
  return Object.keys(value).length > 0 && Object.values(value).every(isCarried)
}

function isHeader(value: unknown): boolean {
  return typeof value !== 'string' || /^[!-~]([ -~]*[!-~])?$/.test(value)
}

/** An optional flat body without fields is left out. */
function hasFields(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0
}

function findContentType({ body, contentType }: AnyResponse): string | undefined {
  return body === undefined ? undefined : contentType
}

/** A form has named fields. Of those that the schema does not name it takes texts. */
function isCarriedForm(value: unknown, fields: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isCarried(value))
    return false
  return Object.entries(value).every(([name, item]) => fields.has(name) || typeof item === 'string')
}

function listFields({ serverFacts, shapes }: BothSides, id: string): ReadonlySet<string> {
  const [content] = serverFacts.find((one) => one.id === id)?.body?.contents ?? []
  return new Set(
    listLeaves(content?.shape ?? { kind: 'any' }, shapes).records.flatMap((record) =>
      Object.keys(record.fields),
    ),
  )
}
