import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { node, nodeVersions } from '@farebox/testing/runtimes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from './temporary-folder.js'
import { root } from './tree.js'

// A tool needs at most 150 MiB and twenty times the size of the documents that it reads, also where
// a document is one line. Redocly, in which our lint rules run, keeps more than it needs as long as
// there is room: its heap is bounded instead.

const { folder, remove } = temporaryFolder('memory')
afterAll(remove)

const [base, head] = ['base.json', 'head.json'] as const
const command = {
  codegen: join(root, 'tools/codegen/dist/bin.js'),
  specDiff: join(root, 'tools/spec-diff/dist/bin.js'),
  impact: join(root, 'tools/impact/dist/bin.js'),
  redocly: join(root, 'node_modules/@redocly/cli/bin/cli.js'),
}
const lintRules = join(root, 'tools/lint-rules/dist/index.js')

beforeAll(() => {
  writeFileSync(join(folder, base), minifiedDocument('name'))
  writeFileSync(join(folder, head), minifiedDocument('title'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'redocly.yaml'),
    `plugins:\n  - ${lintRules}\nrules:\n  farebox/operation-example: warn\n`,
  )
  writeFileSync(
    join(folder, 'use.ts'),
    `import { createClient } from './generated/client/index.js'
export const thing = await createClient({ baseUrl: 'https://api.example' }).getThing0({ id: 'a' })
export const name = thing.name
`,
  )
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    lib: ['es2023', 'dom'],
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['use.ts'] }),
  )
  run(process.versions.node, command.codegen, ...generate('generated', 'types,client'))
})

describe.each(nodeVersions)('on Node %s', (version) => {
  it.each([
    ['types, zod and client', command.codegen, generate('all', 'types,zod,client'), [base]],
    ['a reference', command.codegen, generate('docs', 'docs'), [base]],
    ['the changes', command.specDiff, [base, head], [base, head]],
    ['their impact', command.impact, [base, head, '--project', 'tsconfig.json'], [base, head]],
  ])('%s', (_what, program, args, documents) => {
    const size = documents.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    const { memory, output } = run(version, program, ...args)
    expect(memory, output).toBeLessThan(150 * 2 ** 20 + 20 * size)
  })
})

it('lint rules', () => {
  const args = ['lint', base, '--config', 'redocly.yaml']
  const { memory, output } = run(
    process.versions.node,
    '--max-old-space-size=200',
    command.redocly,
    ...args,
  )
  expect(output).toContain('1500 warnings')
  expect(memory).toBeLessThan(150 * 2 ** 20 + 20 * statSync(join(folder, base)).size)
})

function generate(out: string, only: string): readonly string[] {
  return ['--spec', base, '--out', out, '--only', only, '--no-cache']
}

/** Runs a command in a Node, and returns the most bytes that it was resident with. */
function run(version: string, ...args: readonly string[]): { memory: number; output: string } {
  const notes = join(folder, 'peak.txt')
  const atExit = `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(notes)}, String(process.resourceUsage().maxRSS)))`
  const [binary] = node(version)
  const { status, stdout, stderr } = spawnSync(
    binary,
    [`--import=data:text/javascript,${encodeURIComponent(atExit)}`, ...args],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off' },
    },
  )
  const output = `${stdout}${stderr}`
  expect(status, output.slice(-2000)).toBe(0)
  return { memory: Number(readFileSync(notes, 'utf8')) * 1024, output }
}

/** A document of 2.4 MB on one line, of the shape of GitHub's: many operations that share schemas. */
function minifiedDocument(field: string): string {
  const text = { type: 'string', description: 'What it is, in the words of whoever created it.' }
  const thing = {
    type: 'object',
    required: ['id', field],
    properties: {
      id: { type: 'string' },
      [field]: text,
      ...Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`field_${index}`, text])),
    },
  }
  const operation = (index: number): unknown => {
    const schema = { $ref: `#/components/schemas/Thing${index % 250}` }
    return {
      operationId: `getThing${index}`,
      description: 'Returns one thing, with all that is known about it. '.repeat(40),
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        200: { description: 'The thing.', content: { 'application/json': { schema } } },
      },
    }
  }
  const numbered = <T>(length: number, entry: (index: number) => [string, T]): object =>
    Object.fromEntries(Array.from({ length }, (_, index) => entry(index)))
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: 'https://api.example' }],
    paths: numbered(750, (index) => [`/things${index}/{id}`, { get: operation(index) }]),
    components: { schemas: numbered(250, (index) => [`Thing${index}`, thing]) },
  })
}
