import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { emitters, folder, generate } from '@farebox/codegen'
import { createService } from '@farebox/service'
import { afterAll, expect, it } from 'vitest'
import { openEmptyDatabase } from '../packages/service/test/empty-database.js'
import { root } from './tree.js'

/** Inside the generator, so that the generated imports of npm's packages resolve. */
const work = join(root, 'tools/codegen/.tmp/operator')
afterAll(() => rmSync(work, { recursive: true, force: true }))

const operatorKey = 'operator-key-of-the-test'

type OperatorResponse = {
  readonly status: number
  readonly data?: Readonly<Record<string, unknown>>
  readonly error?: unknown
}
type Client = Readonly<
  Record<
    'createKey' | 'listKeys' | 'changeKey' | 'revokeKey' | 'getKey',
    (input: object) => Promise<OperatorResponse>
  >
>

it("our generator makes a client of the operator's API from the document that the service serves", async () => {
  const service = await createService({
    origin: 'http://127.0.0.1:4020',
    adminKey: 'test-admin-key',
    operatorKey,
    operatorChanges: true,
    database: await openEmptyDatabase(),
  })
  try {
    const served = await service.operator(new Request('http://127.0.0.1:4021/openapi.json'))
    mkdirSync(work, { recursive: true })
    writeFileSync(join(work, 'openapi.json'), await served.text())
    const outputs = emitters.filter(({ name }) => name === 'types' || name === 'client')
    const made = await generate({
      spec: 'openapi.json',
      cwd: work,
      target: folder('api', 'the test'),
      emitters: outputs,
      strict: true,
    })
    expect(made).toMatchObject({ status: 'written', diagnostics: [], leftOut: [] })

    const { createClient } = (await import(
      pathToFileURL(join(work, 'api/client/index.ts')).href
    )) as {
      readonly createClient: (options: object) => Client
    }
    const send = async (url: string, init: RequestInit) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${operatorKey}`)
      return service.operator(new Request(url, { ...init, headers }))
    }
    const client = createClient({ baseUrl: 'http://127.0.0.1:4021/operator/v1', fetch: send })
    const { data: key } = await client.createKey({
      account: 'key:tram',
      consumptionLimit: { usd: 2.5 },
    })
    expect(key).toMatchObject({ state: 'active', secret: expect.stringMatching(/^fbx_/) as string })
    const id = key?.['id']
    expect((await client.changeKey({ id, consumptionLimit: null })).data).toMatchObject({
      id,
      consumptionLimit: {},
    })
    expect((await client.listKeys({ account: 'key:tram', limit: 1 })).data).toMatchObject({
      keys: [{ id }],
      hasMore: false,
    })
    expect((await client.revokeKey({ id })).data).toMatchObject({ state: 'revoked' })
    expect(await client.getKey({ id: 'none' })).toMatchObject({
      status: 404,
      error: { code: 'NOT_FOUND' },
    })
  } finally {
    await service.close()
  }
})
