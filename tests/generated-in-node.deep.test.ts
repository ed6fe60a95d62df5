import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { node, nodeVersions } from '@farebox/testing/runtimes'
import { afterAll, expect, it } from 'vitest'
import { root } from './tree.js'

// Node 24 runs generated TypeScript as it stands: it strips the types, and checks nothing.

/** Inside the generator, so that the generated imports of npm's packages resolve. */
const work = join(root, 'tools/codegen/.tmp/node-24')
afterAll(() => rmSync(work, { recursive: true, force: true }))

const program = `import { createClient } from './api/client/index.ts'
import { createServer } from './api/server/index.ts'
import { Status } from './api/types/index.ts'

const app = createServer({
  watch: () => ({ status: 200, body: [Status.Open, Status.Closed] }),
  find: ({ query }) => ({ status: 200, body: query.statuses ?? [] }),
})
const client = createClient({ baseUrl: 'http://a.example', fetch: async (url, init) => app.fetch(new Request(url, init)) })
const found = await client.find({ statuses: [Status.Closed, Status.Open] })
const items = []
for await (const item of (await client.watch()).data) items.push(item)
console.log(JSON.stringify([found.data, items]))
`
const status = { $ref: '#/components/schemas/Status' }
const document = {
  openapi: '3.2.0',
  info: { title: 'Statuses', version: '1' },
  paths: {
    '/find': {
      get: {
        operationId: 'find',
        parameters: [
          {
            name: 'statuses',
            in: 'query',
            style: 'pipeDelimited',
            explode: false,
            schema: { type: 'array', items: status },
          },
        ],
        responses: {
          200: { content: { 'application/json': { schema: { type: 'array', items: status } } } },
        },
      },
    },
    '/watch': {
      get: {
        operationId: 'watch',
        responses: { 200: { content: { 'application/jsonl': { itemSchema: status } } } },
      },
    },
  },
  components: {
    schemas: { Status: { type: 'integer', enum: [1, 2], 'x-enum-varnames': ['Open', 'Closed'] } },
  },
}

it('types, validators, client and server run in Node 24 without a compiler', async () => {
  mkdirSync(work, { recursive: true })
  writeFileSync(join(work, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(document))
  writeFileSync(join(work, 'program.ts'), program)
  const run = promisify(execFile)
  const options = [
    '--spec',
    'openapi.json',
    '--out',
    'api',
    '--only',
    'types,zod,client,server',
    '--import-extension',
    'ts',
    '--enums',
    'constants',
  ]
  await run(process.execPath, [join(root, 'tools/codegen/dist/cli.js'), ...options], { cwd: work })
  const [binary, ...flags] = node(nodeVersions[2])
  const { stdout } = await run(binary, [...flags, 'program.ts'], { cwd: work, env: { HOME: work } })
  expect(JSON.parse(stdout)).toEqual([
    [2, 1],
    [1, 2],
  ])
})
