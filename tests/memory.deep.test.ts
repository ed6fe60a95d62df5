import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createNodeCommand, nodeVersions } from '@farebox/testing/runtimes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'
import { root } from './tree.js'

// A tool needs at most 150 MiB and twenty times the size of the documents that it reads, also where
// a document is one line. Redocly, in which our lint rules run, keeps more than it needs as long as
// there is room: its heap is bounded instead.

const { folder, remove } = createTemporaryFolder('memory')
afterAll(remove)

/** How many schemas the documents of a folder have. A small one costs little more than the tool. */
const sizes = { small: 12, large: 250 } as const
const [base, head] = ['base.json', 'head.json'] as const
const command = {
  codegen: join(root, 'tools/codegen/dist/bin.js'),
  specDiff: join(root, 'tools/spec-diff/dist/bin.js'),
  impact: join(root, 'tools/impact/dist/bin.js'),
  redocly: join(root, 'node_modules/@redocly/cli/bin/cli.js'),
}
const lintRules = join(root, 'tools/lint-rules/dist/index.js')

beforeAll(() => {
  for (const [size, schemas] of Object.entries(sizes)) writeProject(join(folder, size), schemas)
})

function writeProject(cwd: string, schemas: number): void {
  mkdirSync(cwd)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    lib: ['es2023', 'dom'],
  }
  const files = {
    [base]: createMinifiedDocument('name', schemas),
    [head]: createMinifiedDocument('title', schemas),
    'package.json': '{ "type": "module" }',
    'redocly.yaml': `plugins:\n  - ${lintRules}\nrules:\n  farebox/operation-example: warn\n`,
    'use.ts': `import { createClient } from './generated/client/index.js'
export const thing = await createClient({ baseUrl: 'https://api.example' }).getThing0({ id: 'a' })
export const name = thing.data.name
`,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['use.ts'] }),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  run(cwd, process.versions.node, command.codegen, ...generate('generated', 'types,client'))
}

describe.each(nodeVersions)('on Node %s', (version) => {
  describe.each(['small', 'large'] as const)('of a %s document', (size) => {
    it.each([
      [
        'types, zod and client',
        command.codegen,
        generate('all', 'types,zod,client'),
        [base],
        'total:',
      ],
      ['a reference', command.codegen, generate('docs', 'docs'), [base], 'total:'],
      ['the changes', command.specDiff, [base, head], [base, head], 'Thing0.name'],
      [
        'their impact',
        command.impact,
        [base, head, '--project', 'tsconfig.json'],
        [base, head],
        'use.ts:3:32 breaks compile',
      ],
    ])('%s', (_what, program, args, documents, expected) => {
      const cwd = join(folder, size)
      const { memory, output } = run(cwd, version, program, ...args)
      expect(output).toContain(expected)
      expect(memory, output).toBeLessThan(computeLimit(cwd, ...documents))
    })
  })
})

it('lint rules', () => {
  const cwd = join(folder, 'large')
  const args = ['lint', base, '--config', 'redocly.yaml']
  const heap = '--max-old-space-size=200'
  const { memory, output } = run(cwd, process.versions.node, heap, command.redocly, ...args)
  expect(output).toContain('1500 warnings')
  expect(memory).toBeLessThan(computeLimit(cwd, base))
})

function computeLimit(cwd: string, ...documents: readonly string[]): number {
  return (
    150 * 2 ** 20 + 20 * documents.reduce((sum, name) => sum + statSync(join(cwd, name)).size, 0)
  )
}

function generate(out: string, only: string): readonly string[] {
  return ['--spec', base, '--out', out, '--only', only, '--no-cache']
}

/** Runs a command in a Node, and returns the most bytes that it was resident with. */
function run(
  cwd: string,
  version: string,
  ...args: readonly string[]
): { memory: number; output: string } {
  const notes = join(folder, 'peak.txt')
  const atExit = `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(notes)}, String(process.resourceUsage().maxRSS)))`
  const [binary] = createNodeCommand(version)
  const { status, stdout, stderr } = spawnSync(
    binary,
    [`--import=data:text/javascript,${encodeURIComponent(atExit)}`, ...args],
    {
      cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off' },
    },
  )
  const output = `${stdout}${stderr}`
  expect(status, output.slice(-2000)).toBe(0)
  return { memory: Number(readFileSync(notes, 'utf8')) * 1024, output }
}

/**
 * A document on one line, of the shape of GitHub's: many operations that share schemas. With 250 of
 * these it has 2.4 MB.
 */
function createMinifiedDocument(field: string, schemas: number): string {
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
    const schema = { $ref: `#/components/schemas/Thing${index % schemas}` }
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
    paths: numbered(3 * schemas, (index) => [`/things${index}/{id}`, { get: operation(index) }]),
    components: { schemas: numbered(schemas, (index) => [`Thing${index}`, thing]) },
  })
}
