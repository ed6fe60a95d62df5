import { join } from 'node:path'
import ts from 'typescript'
import { root } from './measure.js'

/** A way to call an operation. */
export type Way = 'methods' | 'functions' | 'the SDK' | 'by path (openapi-fetch)'

type Operation = {
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly input: string
}

const five: readonly Operation[] = [
  { id: 'createSpeech', method: 'POST', path: '/audio/speech', input: "{ input: 'Hello' }" },
  {
    id: 'queueVideo',
    method: 'POST',
    path: '/video/queue',
    input: "{ model: 'local-test-clip', prompt: 'a boat', duration: '5s' }",
  },
  { id: 'getModel', method: 'GET', path: '/models/{id}', input: "{ id: 'tts-kokoro' }" },
  { id: 'listModels', method: 'GET', path: '/models', input: "{ type: 'tts' }" },
  {
    id: 'createApiKey',
    method: 'POST',
    path: '/api_keys',
    input: "{ apiKeyType: 'INFERENCE', description: 'ci' }",
  },
]

/** Calls five operations and uses their results, in each of the ways. */
const sources: Readonly<Record<Way, readonly string[]>> = {
  methods: [
    "import type { Client } from './index.js'",
    'declare const client: Client',
    ...five.map(({ id, input }) => printUse(id, `client.${id}(${input})`)),
  ],
  functions: [
    `import { ${five.map(({ id }) => id).join(', ')}, type Context } from './operations.js'`,
    'declare const service: Context',
    ...five.map(({ id, input }) => printUse(`${id}Of`, `${id}(service, ${input})`)),
  ],
  'the SDK': [
    "import type { Farebox } from '../../farebox/src/index.js'",
    'declare const farebox: Farebox',
    ...five.map(({ id, input }) => `export const ${id} = async () => farebox.${id}(${input})`),
  ],
  'by path (openapi-fetch)': [
    "import type { Client } from './index.js'",
    'declare const client: Client',
    ...five.map(
      ({ id, method, path, input }) =>
        `export const ${id} = async () => (await client.${method}('${path}', ${formatInit(method, path, input)})).data`,
    ),
  ],
}

/**
 * How many types the compiler instantiates to check each of them, the client's own types included.
 */
export function measureInstantiations(): Readonly<Record<Way, number>> {
  return {
    methods: parseCount(sources.methods),
    functions: parseCount(sources.functions),
    'the SDK': parseCount(sources['the SDK']),
    'by path (openapi-fetch)': parseCount(sources['by path (openapi-fetch)']),
  }
}

function printUse(name: string, call: string): string {
  return `export const ${name} = async () => { const result = await ${call}; if (result.status === 200) return result.data }`
}

function formatInit(method: 'GET' | 'POST', path: string, input: string): string {
  if (method === 'POST') return `{ body: ${input} }`
  return path.includes('{') ? `{ params: { path: ${input} } }` : `{ params: { query: ${input} } }`
}

/** The ways read the same files, with the same options. */
const parsed = new Map<string, ts.SourceFile>()

/** Counts with the compiler version of the packages: the count depends on the version. */
function parseCount(lines: readonly string[]): number {
  const file = join(root, 'packages/client/src/five-operations.ts')
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@farebox/source'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
  }
  const host = ts.createCompilerHost(options)
  const getSourceFile = host.getSourceFile.bind(host)
  const fileExists = host.fileExists.bind(host)
  host.getSourceFile = (name, ...rest) => {
    if (name === file)
      return ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2022, true)
    const known = parsed.get(name) ?? getSourceFile(name, ...rest)
    if (known !== undefined) parsed.set(name, known)
    return known
  }
  host.fileExists = (name) => name === file || fileExists(name)
  const program = ts.createProgram([file], options, host)
  const [fault] = program.getSemanticDiagnostics(program.getSourceFile(file))
  if (fault !== undefined) throw new Error(ts.flattenDiagnosticMessageText(fault.messageText, '\n'))
  return program.getInstantiationCount()
}
