import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findWorkFolder } from '../test/both-sides.js'
import { listTypeErrors } from '../test/type-errors.js'
import { main } from './command/main.js'
import { setImportExtension } from './pipeline/target.js'

// The output under the switches of programs that run without a compiler, or without a checker.

const work = findWorkFolder('portable')
const contract = fileURLToPath(new URL('../../../spec/openapi.yaml', import.meta.url))
const examples = dirname(
  createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'),
)
const outputs = 'types,zod,client,check,server,arbitraries,mcp,queries,pages,msw,document'

async function generateOutputs(
  spec: string,
  out: string,
  ...options: readonly string[]
): Promise<void> {
  const errors: string[] = []
  const { generate } = await import('./pipeline/generate.js')
  const only = options.includes('--only') ? [] : ['--only', outputs]
  const code = await main(
    ['--quiet', '--no-cache', '--spec', spec, '--out', out, ...only, ...options],
    {
      out: () => undefined,
      error: (line) => void errors.push(line),
      cwd: work,
      env: {},
      now: () => 0,
      signal: new AbortController().signal,
      temp: work,
      stdin: (async function* () {})(),
      load: () => Promise.resolve(generate),
    },
  )
  if (code !== 0) throw new Error(errors.join('\n'))
}

beforeAll(async () => {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
})
afterAll(async () => rm(work, { recursive: true, force: true }))

const enums = {
  openapi: '3.1.0',
  info: { title: 'Enums', version: '1' },
  paths: {},
  components: {
    schemas: {
      Colour: {
        type: 'string',
        enum: ['r', 'b"', 'g'],
        'x-enum-varnames': ['Red', 'dark-blue', '__proto__'],
      },
      Level: { type: 'integer', enum: [0, 10], 'x-enumNames': ['Low', 'High'] },
      Part: { type: 'string', enum: ['a', 7, 'b'], 'x-enum-varnames': ['A', 'Seven', 'B'] },
      Unnamed: { enum: ['a'] },
      Twice: { enum: ['a', 'b'], 'x-enum-varnames': ['A', 'A'] },
      Short: { enum: ['a', 'b'], 'x-enum-varnames': ['A'] },
    },
  },
}

it('compiles with isolatedDeclarations, erasableSyntaxOnly and the libraries of ES2022, with each zod', async () => {
  const options = ['--isolated-declarations', '--enums', 'constants', '--import-extension', 'ts']
  await writeFile(join(work, 'enums.json'), JSON.stringify(enums))
  await generateOutputs(contract, 'ours', ...options)
  await generateOutputs(
    join(examples, '3.0/json/star-trek.json'),
    'trek',
    ...options,
    '--zod',
    'mini',
  )
  await generateOutputs(
    join(examples, '3.1/json/train-travel.json'),
    'travel',
    ...options,
    '--zod',
    'core',
  )
  await generateOutputs(
    join(examples, '3.0/json/petstore.json'),
    'pets',
    ...options,
    '--int64',
    'bigint',
    '--zod',
    'core',
    '--only',
    'types,zod,client',
  )
  await generateOutputs('enums.json', 'enums', ...options)
  await generateOutputs(
    join(examples, '3.1/json/train-travel.json'),
    'dated',
    ...options,
    '--dates',
    'temporal',
    '--only',
    'types,zod,client,queries',
  )
  const switches = {
    isolatedDeclarations: true,
    declaration: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
  }
  expect(
    await listTypeErrors(work, ['ours', 'trek', 'travel', 'pets', 'enums', 'dated'], switches),
  ).toEqual([])
})

it('compiles without extensions, for a bundler', async () => {
  await generateOutputs(contract, 'bundled', '--import-extension', 'none')
  expect(await readFile(join(work, 'bundled/client/index.ts'), 'utf8')).toContain(
    "from './operations'",
  )
  expect(
    await listTypeErrors(work, ['bundled'], { module: 'esnext', moduleResolution: 'bundler' }),
  ).toEqual([])
})

describe('constants of enums', () => {
  it('are named by x-enum-varnames or x-enumNames, if every value has a name', async () => {
    const constants = (await import(
      pathToFileURL(join(work, 'enums/types/index.ts')).href
    )) as object
    expect(
      Object.entries(constants).map(([name, values]) => [name, Object.entries(values as object)]),
    ).toEqual([
      [
        'Colour',
        [
          ['Red', 'r'],
          ['dark-blue', 'b"'],
          ['__proto__', 'g'],
        ],
      ],
      [
        'Level',
        [
          ['Low', 0],
          ['High', 10],
        ],
      ],
      [
        'Part',
        [
          ['A', 'a'],
          ['B', 'b'],
        ],
      ],
    ])
  })
})

it.each([
  ["import { a } from './a.js'", "import { a } from './a.ts'"],
  ["import type * as a from '../b/index.js'", "import type * as a from '../b/index.ts'"],
  ["export {\n  a,\n} from './a.js'", "export {\n  a,\n} from './a.ts'"],
  ["export * from './a.js'", "export * from './a.ts'"],
  ["import { z } from 'zod/v4.js'", "import { z } from 'zod/v4.js'"],
  [" * import { a } from './a.js'", " * import { a } from './a.js'"],
  ["export const a = { from: './a.js' }", "export const a = { from: './a.js' }"],
])('only the specifier of %s changes', (text, expected) => {
  expect(setImportExtension(text, 'ts')).toBe(expected)
})
