import { buildApi, loadDocument } from '@farebox/codegen'
import { createService } from '@farebox/service'
import { compareContracts, serveOlder, type Contract } from '@farebox/spec-diff'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { emptyDatabase } from '../packages/service/test/empty-database.js'
import { document } from '../packages/service/src/generated/document.js'

type Schema = { additionalProperties?: boolean; required: string[]; properties: Record<string, unknown> }
type Editable = { readonly components: { readonly schemas: Readonly<Record<'Model', Schema>> } }

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
