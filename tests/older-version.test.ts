import * as requests from '@farebox/arbitraries/operations'
import * as responses from '@farebox/arbitraries/responses'
import { admits, buildApi, loadDocument, type Api, type Schema } from '@farebox/codegen'
import { createService } from '@farebox/service'
import { AdaptError, adaptValue, compareContracts, readVersion, serveOlder, serveVersions, type Contract } from '@farebox/spec-diff'
import * as fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { emptyDatabase } from '../packages/service/test/empty-database.js'
import { document } from '../packages/service/src/generated/document.js'

type EditableSchema = { additionalProperties?: boolean; required: string[]; properties: Record<string, unknown> }
type Editable = { readonly components: { readonly schemas: Readonly<Record<'Model', EditableSchema>> } }

async function contractOf(edit: (document: Editable) => void): Promise<Contract> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-older-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const edited = structuredClone(document) as unknown as Editable
  edit(edited)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(edited))
  const { document: loaded } = await loadDocument('openapi.json', { cwd: folder })
  const { api } = loaded === undefined ? {} : buildApi(loaded)
  if (api === undefined) throw new Error('The contract was not read')
  return { api }
}

it('serves two versions of the contract side by side: each caller gets the models that its version declares', async () => {
  const service = await createService({ origin: 'http://127.0.0.1:4020', adminKey: 'test-admin-key', database: await emptyDatabase() })
  onTestFinished(() => service.close())
  const newer = await contractOf(() => undefined)
  const older = await contractOf(({ components: { schemas } }) => {
    schemas.Model.additionalProperties = false
    delete schemas.Model.properties['model_spec']
    schemas.Model.required = schemas.Model.required.filter((name) => name !== 'model_spec')
  })
  const pinned = serveOlder(older, newer, async (request) => service.fetch(request))
  const models = async (serve: (request: Request) => Promise<Response>) => {
    const response = await serve(new Request('http://127.0.0.1:4020/api/v1/models'))
    const { data } = (await response.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] }
    return data
  }
  const [before, now] = [await models(pinned), await models(async (request) => service.fetch(request))]
  expect(now.length).toBeGreaterThan(0)
  expect(now.some((model) => 'model_spec' in model)).toBe(true)
  expect(before).toEqual(now.map((model) => Object.fromEntries(Object.entries(model).filter(([name]) => name !== 'model_spec'))))
  const change = compareContracts(older, newer).find(({ code }) => code === 'response-property-added-closed')
  expect(change?.witness).toMatchObject({ acceptedBy: 'head', adapted: expect.any(Object) as object })
})

/** The released version 20261121, without its texts and examples. */
async function released(): Promise<Contract> {
  const spec = '20261121.json'
  const contract = await readVersion(spec, { spec, cwd: fileURLToPath(new URL('contracts', import.meta.url)) })
  if (contract === undefined) throw new Error('The released version is not there')
  return contract
}

function resolverOf({ schemas }: Api): (name: string) => Schema {
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]))
  return (name) => {
    const schema = byName.get(name)
    if (schema === undefined) throw new Error(`There is no schema ${name}`)
    return schema
  }
}

type Contents = readonly { readonly mediaType: string; readonly schema: Schema }[]

function jsonOf(contents: Contents | undefined): Schema | undefined {
  return contents?.find(({ mediaType }) => mediaType === 'application/json')?.schema
}

/** The schema of a JSON body: of the request, or of a response by its status. */
function schemaOf({ operations }: Api, id: string, status?: string): Schema | undefined {
  const operation = operations.find((one) => one.id === id)
  return jsonOf(
    status === undefined ? operation?.body?.contents : operation?.responses.find((one) => String(one.status) === status)?.contents,
  )
}

describe('a caller that is pinned to a released version', () => {
  it('is served beside one of the newest, and each gets what its version declares', async () => {
    const service = await createService({ origin: 'http://127.0.0.1:4020', adminKey: 'test-admin-key', database: await emptyDatabase() })
    onTestFinished(() => service.close())
    const [older, newest] = [await released(), await contractOf(() => undefined)]
    const serve = serveVersions({ newest, older: [older], serve: async (request) => service.fetch(request) })
    const call = async (path: string, init: RequestInit, version?: string) => {
      const headers = new Headers(init.headers)
      if (version !== undefined) headers.set('contract-version', version)
      return serve(new Request(`http://127.0.0.1:4020/api/v1${path}`, { ...init, headers }))
    }
    const calls = [
      ['listModels', '/models', {}],
      ['topUp', '/x402/top-up', { method: 'POST' }],
      ['createSpeech', '/audio/speech', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
    ] as const
    for (const [id, path, init] of calls)
      for (const { api } of [older, newest]) {
        const response = await call(path, init, api.version)
        const schema = schemaOf(api, id, String(response.status))
        expect([id, api.version, schema !== undefined && admits(schema, (await response.json()) as never, resolverOf(api))]).toEqual([
          id,
          api.version,
          true,
        ])
      }
    const unknown = await call('/models', {}, '20200101.000000')
    expect([unknown.status, await unknown.json()]).toEqual([
      400,
      {
        error: 'This version of the contract is not served.',
        found: '20200101.000000',
        expected: `20261121.000000 or ${newest.api.version}`,
      },
    ])
  })

  it('gets each response that the newest version allows, and sends each request, but for what the comparison names', async () => {
    const [older, newest] = [await released(), await contractOf(() => undefined)]
    const named = new Set(
      compareContracts(older, newest).flatMap(({ adapter, operations }) =>
        adapter === 'cannot' || adapter === 'unknown' ? operations : [],
      ),
    )
    const [old, now] = [resolverOf(older.api), resolverOf(newest.api)]
    const seen: string[] = []
    const convert = (id: string, value: never, from: Schema | undefined, to: Schema | undefined, back: boolean) => {
      if (from === undefined || to === undefined) return
      const [one, other] = [
        { schema: from, resolve: now },
        { schema: to, resolve: old },
      ]
      try {
        const adapted = adaptValue(value, one, other)
        expect(admits(to, adapted, old)).toBe(true)
        if (back) expect(admits(from, adaptValue(adapted, other, one), now)).toBe(true)
        seen.push(id)
      } catch (error) {
        expect([id, error instanceof AdaptError && named.has(id)]).toEqual([id, true])
      }
    }
    const draws = (arbitrary: unknown) => fc.sample((arbitrary as { readonly valid: fc.Arbitrary<never> }).valid, { numRuns: 5, seed: 18 })
    for (const [id, byStatus] of Object.entries(responses))
      for (const [status, byType] of Object.entries(byStatus))
        for (const value of draws((byType as Readonly<Record<string, unknown>>)['application/json'] ?? { valid: fc.constant(null) }))
          convert(id, value, schemaOf(newest.api, id, status), schemaOf(older.api, id, status), false)
    for (const [id, parts] of Object.entries(requests)) {
      const body = (parts as { readonly body?: Readonly<Record<string, unknown>> }).body?.['application/json']
      for (const value of body === undefined ? [] : draws(body)) convert(id, value, schemaOf(newest.api, id), schemaOf(older.api, id), true)
    }
    expect(new Set(seen).size).toBeGreaterThan(10)
  })
})
