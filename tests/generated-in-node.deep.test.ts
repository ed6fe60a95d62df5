import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { installed } from '@farebox/testing/installed'
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

const run = promisify(execFile)
const command = join(root, 'tools/codegen/dist/cli.js')

it('types, validators, client and server run in Node 24 without a compiler', async () => {
  mkdirSync(work, { recursive: true })
  writeFileSync(join(work, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(document))
  writeFileSync(join(work, 'program.ts'), program)
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
  await run(process.execPath, [command, ...options], { cwd: work })
  const [binary, ...flags] = node(nodeVersions[2])
  const { stdout } = await run(binary, [...flags, 'program.ts'], { cwd: work, env: { HOME: work } })
  expect(JSON.parse(stdout)).toEqual([
    [2, 1],
    [1, 2],
  ])
})

it('mocks run with MSW 3, whose guard has another name', async () => {
  const beside = ['zod@4.6.7', 'hono@4.13.19', 'fast-check@4.10.2']
  const project = join(work, 'mocks')
  mkdirSync(project, { recursive: true })
  symlinkSync(dirname(installed('msw', '3.0.5', beside)), join(project, 'node_modules'))
  const apps = join(root, 'tools/codegen/test/apps')
  cpSync(join(apps, 'openapi.yaml'), join(project, 'openapi.yaml'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const mocks = readFileSync(join(apps, 'mocks.ts'), 'utf8')
    .replaceAll("/index.js'", "/index.ts'")
    .replace('onUnhandledRequest', 'onUnhandledFrame')
  writeFileSync(join(project, 'mocks.ts'), mocks)
  const check = `import { added, example, items, missing, refused, unknown } from './mocks.ts'
console.log(JSON.stringify([added.status, example.data, items.length, missing.status, refused.status, unknown.cause.message]))`
  writeFileSync(join(project, 'check.ts'), check)
  const outputs = 'types,zod,client,server,arbitraries,msw'
  const options = ['--spec', 'openapi.yaml', '--out', 'api', '--only', outputs, '--quiet']
  await run(process.execPath, [command, ...options, '--import-extension', 'ts'], { cwd: project })
  const [binary, ...flags] = node(nodeVersions[2])
  const { stdout } = await run(binary, [...flags, 'check.ts'], {
    cwd: project,
    env: { HOME: project },
  })
  expect(JSON.parse(stdout)).toEqual([
    201,
    { id: 7, name: 'Rex' },
    3,
    404,
    400,
    expect.stringContaining('"onUnhandledFrame"'),
  ])
})
