import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installTarballs } from '@farebox/release/install-packed'
import { createTemporaryFolder } from './temporary-folder.js'

const sample = fileURLToPath(new URL('../packages/docs/samples/write-an-output/', import.meta.url))
const guide = readFileSync(
  new URL('../packages/docs/src/content/docs/guides/write-an-output.mdx', import.meta.url),
  'utf8',
)
const readme = readFileSync(new URL('../tools/codegen/README.md', import.meta.url), 'utf8')
const tsc = join(
  dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')),
  'bin/tsc',
)

const tram = `openapi: 3.1.0
info: { title: Tram, version: '1' }
paths:
  /lines: { get: { operationId: listLines, responses: { '200': { description: All } } }, post: { operationId: addLine, responses: { '201': { description: Added } } } }
  /lines/{line}/stops/{stop-id}:
    get:
      operationId: getStop
      summary: Get a stop
      parameters:
        - { name: line, in: path, required: true, schema: { $ref: '#/components/schemas/Line' } }
        - { name: stop-id, in: path, required: true, schema: { type: integer } }
      responses: { '200': { description: One } }
components: { schemas: { Line: { enum: [red, blue] } } }
`

const program = `import { getStop, listLines } from './api/links/index.js'
console.log(listLines(), getStop({ line: 'red', 'stop-id': 7 }))
// @ts-expect-error no such line
getStop({ line: 'green', 'stop-id': 7 })
`

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  moduleDetection: 'force',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  types: [],
}

/** The blocks of TypeScript on a page. */
function listCodeBlocks(page: string): readonly string[] {
  return [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text)
}

/** A project that has the packed generator, and nothing else of this tree. */
/** A guide is formatted, what is generated is not. */
const collapseWhitespace = (text: string) => text.replaceAll(/\s+/g, ' ')

describe('the plugin of the guide, in a project outside', () => {
  const { folder, remove } = createTemporaryFolder('plugin')
  /** What it prints, also where it fails. */
  const nodeIn = (cwd: string, ...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
    return stdout + stderr
  }
  const node = (...args: readonly string[]): string => nodeIn(folder, ...args)

  beforeAll(async () => {
    await installTarballs(folder, ['packages/command-line', 'tools/codegen'])
    mkdirSync(join(folder, 'src'))
    for (const name of ['links.ts', 'farebox.config.ts'])
      copyFileSync(join(sample, name), join(folder, name))
    const shown = listCodeBlocks(readme).filter((text) => text.includes("from '@farebox/codegen"))
    for (const [index, text] of shown.entries())
      writeFileSync(join(folder, `shown-${index}.ts`), text)
    expect(shown).toHaveLength(2)
    writeFileSync(join(folder, 'tram.yaml'), tram)
    writeFileSync(join(folder, 'src/main.ts'), program)
    const bundler = { ...compilerOptions, module: 'preserve', noEmit: true, skipLibCheck: true }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { ...compilerOptions, rootDir: 'src', outDir: 'out' },
        include: ['src'],
      }),
    )
    writeFileSync(
      join(folder, 'tsconfig.config.json'),
      JSON.stringify({
        compilerOptions: bundler,
        files: ['farebox.config.ts', ...shown.map((_, index) => `shown-${index}.ts`)],
      }),
    )
  })
  afterAll(remove)

  it('compiles against the types of the packed kit, as what the README shows does', () => {
    expect(node(tsc, '-p', 'tsconfig.config.json')).toBe('')
  })

  it('is found by the configuration, and its output compiles and runs', () => {
    node('node_modules/@farebox/codegen/dist/bin.js')
    expect(node(tsc)).toBe('')
    const [written = ''] = listCodeBlocks(guide)
    expect(
      collapseWhitespace(readFileSync(join(folder, 'src/api/links/index.ts'), 'utf8')),
    ).toContain(collapseWhitespace(written))
    expect(node('out/main.js')).toBe('/lines /lines/red/stops/7\n')
    expect(node('node_modules/@farebox/codegen/dist/bin.js', '--check', '--quiet')).toBe('')
  })

  it('runs as npx runs it, where nothing is installed', () => {
    const other = createTemporaryFolder('npx')
    try {
      for (const name of ['links.ts', 'farebox.config.ts', 'tram.yaml'])
        copyFileSync(join(folder, name), join(other.folder, name))
      expect(
        nodeIn(other.folder, join(folder, 'node_modules/@farebox/codegen/dist/bin.js'), '--quiet'),
      ).toBe('')
      const link = 'src/api/links/index.ts'
      expect(readFileSync(join(other.folder, link), 'utf8')).toBe(
        readFileSync(join(folder, link), 'utf8'),
      )
    } finally {
      other.remove()
    }
  })
})
