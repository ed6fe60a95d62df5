import { fileURLToPath } from 'node:url'
import { readVersion } from '@farebox/spec-diff'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { findMoves } from './find-moves.js'

let api: Parameters<typeof findMoves>[1]
beforeAll(async () => {
  const cwd = fileURLToPath(new URL('../../fixtures/openapi-fetch/', import.meta.url))
  const contract = await readVersion('pets.yaml', { spec: 'pets.yaml', cwd })
  if (contract === undefined) throw new Error('The document is not there')
  api = contract.api
})

/** What of openapi-fetch these tests use, without its types. */
const library = `
interface Client { GET(path: string, init?: unknown): Promise<{ data: unknown }>; PUT: Client['GET'] }
export default function createClient<Paths>(options?: unknown): Client
`

/** A file that uses openapi-fetch, after the moves, and the places that are left. */
function move(code: string) {
  const files: Readonly<Record<string, string>> = {
    '/node_modules/openapi-fetch/index.d.ts': library,
    '/schema.ts': 'export interface paths {}',
    '/app.ts': `import createClient from 'openapi-fetch'\nimport type { paths } from './schema'\n${code}`,
  }
  const options = {
    noLib: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const program = ts.createProgram({
    rootNames: Object.keys(files),
    options,
    host: {
      ...ts.createCompilerHost(options, true),
      getCurrentDirectory: () => '/',
      fileExists: (name) => name in files,
      readFile: (name) => files[name],
      directoryExists: () => true,
      getSourceFile: (name, target) => {
        const text = files[name]
        return text === undefined ? undefined : ts.createSourceFile(name, text, target, true)
      },
    },
  })
  const importFrom = (_file: string, output: string) => `./api/${output}/index`
  const [app] = findMoves(program, api, { importFrom })
  return { text: app?.text, left: app?.left.map(({ reason }) => reason) }
}

const client = "const client = createClient<paths>({ baseUrl: '/v1' })\n"

describe('findMoves', () => {
  it('rewrites calls by path as methods, and replaces the imports', () => {
    expect(
      move(`${client}client.GET('/pets/{pet-id}', { params: { path: { 'pet-id': 7 } } })`),
    ).toEqual({
      text: `import { createClient } from './api/client/index'
const client = createClient({ baseUrl: '/v1' })
client.getPet({ 'pet-id': 7 })`,
      left: [],
    })
  })

  it('keeps a call that the generated method does not accept, and says why', () => {
    const { text, left } = move(
      `${client}client.GET('/cats')\nclient.GET('/pets', { cache: 'no-store' })`,
    )
    expect(text).toContain("client.GET('/cats')\nclient.GET('/pets', { cache: 'no-store' })")
    expect(left).toEqual([
      'call: the document has no operation GET /cats',
      'call: the option cache has no counterpart',
    ])
  })

  it('does not change a client whose methods are destructured', () => {
    const code = "const { GET } = createClient<paths>({ baseUrl: '/v1' })\nGET('/pets')"
    const { text, left } = move(code)
    expect(text).toContain(`import createClient from 'openapi-fetch'`)
    expect(text).toContain(code)
    expect(left?.at(0)).toMatch(/^createClient: its methods are destructured; write `const client/)
  })

  it('calls the origin of the page without a base URL, as openapi-fetch does', () => {
    expect(move('export const client = createClient<paths>()').text).toContain(
      "createClient({ baseUrl: '' })",
    )
  })
})
