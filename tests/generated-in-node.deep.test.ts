import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { installPackage } from '@farebox/testing/install-package'
import { createNodeCommand, nodeVersions } from '@farebox/testing/runtimes'
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
  const [binary, ...flags] = createNodeCommand(nodeVersions[2])
  const { stdout } = await run(binary, [...flags, 'program.ts'], { cwd: work, env: { HOME: work } })
  expect(JSON.parse(stdout)).toEqual([
    [2, 1],
    [1, 2],
  ])
})

it('mocks, queries and server run with the latest major versions of their peers', async () => {
  const beside = [
    'msw@3.0.5',
    '@tanstack/query-core@5.108.4',
    '@hono/node-server@2.1.9',
    'hono@4.13.19',
    'zod@4.6.7',
    'fast-check@4.10.2',
  ]
  const project = join(work, 'newest')
  mkdirSync(project, { recursive: true })
  symlinkSync(dirname(installPackage('vitest', '5.1.2', beside)), join(project, 'node_modules'))
  const apps = join(root, 'tools/codegen/test/apps')
  cpSync(join(apps, 'openapi.yaml'), join(project, 'openapi.yaml'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  for (const name of ['mocks.ts', 'queries.ts', 'server.ts']) {
    const text = readFileSync(join(apps, name), 'utf8').replaceAll("/index.js'", "/index.ts'")
    // the guard of MSW 3 has another name
    writeFileSync(join(project, name), text.replace('onUnhandledRequest', 'onUnhandledFrame'))
  }
  writeFileSync(
    join(project, 'pets.test.ts'),
    `import { expect, it } from 'vitest'
import { added, example, items, missing, rejected, unknown } from './mocks.ts'
import { run } from './queries.ts'
import { app, server } from './server.ts'

it('mocks', () => {
  expect([added.status, example.data, items.length, missing.status, rejected.status]).toEqual([201, { id: 7, name: 'Rex' }, 3, 404, 400])
  expect(unknown.cause.message).toContain('"onUnhandledFrame"')
})
it('queries and server', async () => {
  const headers = { authorization: 'Bearer secret' }
  const fetch = async (url: string, init: RequestInit) => app.fetch(new Request(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } }))
  const [names, hasNextPage, listed] = await run({ fetch })
  server.close()
  expect([names, hasNextPage, listed]).toEqual([['Rex', 'Rex'], false, [1]])
})
`,
  )
  const outputs = 'types,zod,client,server,arbitraries,msw,queries'
  const options = ['--spec', 'openapi.yaml', '--out', 'api', '--only', outputs, '--quiet']
  await run(process.execPath, [command, ...options, '--import-extension', 'ts'], { cwd: project })
  for (const version of nodeVersions.slice(1)) {
    const [binary] = createNodeCommand(version)
    const ended = await run(binary, ['node_modules/vitest/vitest.mjs', 'run'], {
      cwd: project,
      env: { HOME: project, NO_COLOR: '1', PATH: process.env['PATH'] },
    }).catch((error: unknown) => error as { readonly stdout: string; readonly stderr: string })
    expect(`${ended.stdout}${ended.stderr}`).toMatch(/Tests +2 passed/)
  }
})
