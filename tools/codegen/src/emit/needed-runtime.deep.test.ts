import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withFiles } from '../../test/documents.js'
import { arbitraries } from '../emitters/arbitraries.js'
import { client } from '../emitters/client.js'
import { mcp } from '../emitters/mcp.js'
import { zod } from '../emitters/zod.js'
import { generate } from '../pipeline/generate.js'
import { folder } from '../pipeline/target.js'
import { compile } from '../try-documents/compile.js'
import { code, namespace, symbol, type Code } from './code.js'
import { createRuntimeSelection, flattenImports } from './needed-runtime.js'

const modules = new Map([
  [
    './a.js',
    `import * as other from './b.js'
import { type Kind, twice, unused } from './c.js'

/** Used by name. */
export function first(kind: Kind): number {
  // unused() is only mentioned, and so is 'second'
  return helper(other.one, kind)
}

export const second = () => unused()
const helper = (value: number, _kind: Kind) => twice(value)
`,
  ],
  ['./b.js', 'export const one = 1\nexport const two = 2\n'],
  [
    './c.js',
    'export type Kind = string\n\nexport const twice = (value: number) => 2 * value\nexport const unused = () => 0\n',
  ],
  ['./d.js', 'export const never = 0\n'],
  [
    './e.js',
    'export async function* each() {\n  yield* some()\n}\n\nfunction* some() {\n  yield 1\n}\n',
  ],
])

function selectRuntime(all: ReadonlyMap<string, string>, statement: Code) {
  const { use, select } = createRuntimeSelection(all)
  use(statement)
  return select()
}

describe('createRuntimeSelection', () => {
  it('recognizes generators by name', () => {
    const needed = selectRuntime(modules, code`${symbol('each', './e.js')}()`)
    expect([...needed]).toEqual([['./e.js', modules.get('./e.js')]])
  })

  it('does not confuse a parameter with a declaration of the same name', () => {
    const used =
      'export function joined(...parts: readonly string[]): string {\n  return parts.join()\n}\n'
    const own = new Map([
      ['./f.js', `${used}\nconst parts = /a/\n\nexport const test = parts.test('a')\n`],
    ])
    expect([...selectRuntime(own, code`${symbol('joined', './f.js')}()`)]).toEqual([
      ['./f.js', used],
    ])
  })

  it('keeps what a file uses, directly or not, and omits everything else', () => {
    const statement = code`${namespace('a', './a.js')}.first('')`
    expect([...selectRuntime(modules, statement)]).toEqual([
      [
        './a.js',
        `import * as other from './b.js'
import { type Kind, twice } from './c.js'

/** Used by name. */
export function first(kind: Kind): number {
  // unused() is only mentioned, and so is 'second'
  return helper(other.one, kind)
}

const helper = (value: number, _kind: Kind) => twice(value)
`,
      ],
      ['./b.js', 'export const one = 1\n'],
      [
        './c.js',
        'export type Kind = string\n\nexport const twice = (value: number) => 2 * value\n',
      ],
    ])
  })

  it('follows named imports', () => {
    const statement = code`${symbol('two', './b.js')}`
    expect([...selectRuntime(modules, statement)]).toEqual([['./b.js', 'export const two = 2\n']])
  })

  it('keeps re-exports, including async functions and classes', () => {
    const runtime = new Map([
      [
        './e.js',
        'export class A {}\n\nexport async function b(): Promise<void> {}\n\nexport class C {}\n',
      ],
    ])
    const statement = code`export { A, b } from './e.js'`
    expect([...selectRuntime(runtime, statement)]).toEqual([
      ['./e.js', 'export class A {}\n\nexport async function b(): Promise<void> {}\n'],
    ])
  })

  it('keeps no module if nothing is used', () => {
    expect(selectRuntime(modules, code`1`).size).toBe(0)
  })
})

describe.each([zod, client, arbitraries, mcp])(
  'the runtime of the output $name',
  ({ name, runtime: names = [] }) => {
    const runtime = new Map(
      names.map((path) => [
        `./${path.slice(path.lastIndexOf('/') + 1, -3)}.js`,
        flattenImports(readFileSync(new URL(`../../runtime/${path}`, import.meta.url), 'utf8')),
      ]),
    )
    const exported = [...runtime]
      .filter(([specifier]) => specifier !== './zod.js')
      .flatMap(([specifier, text]) =>
        [
          ...text.matchAll(/^export (?:(?:async )?function|class|const|type|interface) (\w+)/gm),
        ].map(([, one = '']) => ({
          specifier,
          name: one,
        })),
      )

    it('is complete for each single export', async () => {
      const work = await createWorkFolder(name)
      for (const [index, { specifier, name: one }] of exported.entries()) {
        const needed = selectRuntime(runtime, symbol(one, specifier))
        expect([...needed.keys()]).toContain(specifier)
        const place = join(work, `${index}-${one}-of-${specifier.slice(2, -3)}`)
        await mkdir(place)
        for (const [module, text] of needed)
          await writeFile(join(place, `${module.slice(2, -3)}.ts`), text)
      }
      expect([...(await compile(work, await readdir(work)))]).toEqual([])
    })
  },
)

describe('the runtime of a document', () => {
  it('with only JSON bodies has no forms and no parameter styles', async () => {
    const json = 'content: { application/json: { schema: { type: object } } }'
    const post = `{ operationId: add, requestBody: { ${json} }, responses: { '200': { description: Done, ${json} } } }`
    const spec = `openapi: 3.1.0\ninfo: { title: Test, version: "1" }\npaths: { /things: { post: ${post} } }\n`
    await withFiles({ 'openapi.yaml': spec }, async (cwd) => {
      await generate({
        spec: 'openapi.yaml',
        cwd,
        emitters: [client],
        target: folder('out', 'make'),
      })
      const files = await readdir(join(cwd, 'out/client'))
      expect(files).toContain('body.ts')
      expect(
        files.filter((name) => ['multipart.ts', 'serialize.ts', 'parameters.ts'].includes(name)),
      ).toEqual([])
      expect(await readFile(join(cwd, 'out/client/body.ts'), 'utf8')).not.toContain(
        'encodeMultipart',
      )
    })
  })

  it('has only the formats of the document, and no unused module', async () => {
    const event =
      'type: object, properties: { id: { type: string, format: uuid }, at: { type: string, format: date-time } }'
    const spec = `openapi: 3.1.0\ninfo: { title: Test, version: "1" }\ncomponents: { schemas: { Event: { ${event} } } }\n`
    await withFiles({ 'openapi.yaml': spec }, async (cwd) => {
      await generate({ spec: 'openapi.yaml', cwd, emitters: [zod], target: folder('out', 'make') })
      const files = await readdir(join(cwd, 'out/zod'))
      expect(files.toSorted()).toEqual([
        'absent.ts',
        'checks.ts',
        'deferred.ts',
        'format-tests.ts',
        'formats.ts',
        'index.ts',
        'operations.ts',
        'schemas.ts',
        'zod.ts',
      ])
      await generate({
        spec: 'openapi.yaml',
        cwd,
        emitters: [arbitraries],
        target: folder('out', 'make'),
      })
      for (const output of ['zod', 'arbitraries']) {
        const formats = await readFile(join(cwd, `out/${output}/formats.ts`), 'utf8')
        expect([...formats.matchAll(/^export const (\w+)/gm)].map(([, name]) => name)).toEqual([
          'dateTime',
          'uuid',
        ])
      }
    })
  })
})

/** Inside the package, so that imports of zod and fast-check resolve; ignored by git. */
async function createWorkFolder(name: string): Promise<string> {
  const work = fileURLToPath(new URL(`../../.tmp/needed-runtime-${name}/`, import.meta.url))
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  onTestFinished(() => rm(work, { recursive: true, force: true }))
  return work
}
