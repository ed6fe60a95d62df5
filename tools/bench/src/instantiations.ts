import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const home = fileURLToPath(new URL('../../../packages/client/src/', import.meta.url))

const five = {
  createSpeech: ['POST', '/audio/speech', "{ input: 'Hello' }"],
  queueVideo: ['POST', '/video/queue', "{ model: 'local-test-clip', prompt: 'a boat', duration: '5s' }"],
  getModel: ['GET', '/models/{id}', "{ id: 'tts-kokoro' }"],
  listModels: ['GET', '/models', "{ type: 'tts' }"],
  createApiKey: ['POST', '/api_keys', "{ apiKeyType: 'INFERENCE', description: 'ci' }"],
}
const before = "import type { Client } from './index.js'\ndeclare const client: Client\n"

/** The uses of five operations and their results, in each of the ways to call them. */
const sources = {
  methods:
    before +
    Object.entries(five)
      .map(([id, [, , input]]) => used(id, `client.${id}(${input})`))
      .join('\n'),
  functions:
    `import { ${Object.keys(five).join(', ')}, type Context } from './operations.js'\ndeclare const service: Context\n` +
    Object.entries(five)
      .map(
        ([id, [, , input]]) =>
          `export const ${id}Of = async () => { const result = await ${id}(service, ${input}); if (result.status === 200) return result.data }`,
      )
      .join('\n'),
  'the SDK':
    "import type { Farebox } from '../../farebox/src/index.js'\ndeclare const farebox: Farebox\n" +
    Object.entries(five)
      .map(([id, [, , input]]) => `export const ${id} = async () => farebox.${id}(${input})`)
      .join('\n'),
  'by path (openapi-fetch)':
    before +
    Object.entries(five)
      .map(([id, [method, path, input]]) => {
        const init =
          method === 'POST'
            ? `{ body: ${input} }`
            : id === 'getModel'
              ? `{ params: { path: ${input} } }`
              : `{ params: { query: ${input} } }`
        return `export const ${id} = async () => (await client.${method}('${path}', ${init})).data`
      })
      .join('\n'),
}

/**
 * @param {string} id
 * @param {string} call
 */
function used(id, call) {
  return `export const ${id} = async () => { const result = await ${call}; if (result.status === 200) return result.data }`
}

/** How many instantiations the compiler makes to check each of them, the client's own types included. */
export function instantiations() {
  return Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, countOf(source)]))
}

/** @param {string} source */
function countOf(source) {
  const file = `${home}five-operations.ts`
  /** @type {ts.CompilerOptions} */
  const options = {
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
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022, true) : getSourceFile(name, ...rest)
  host.fileExists = (name) => name === file || fileExists(name)
  const program = ts.createProgram([file], options, host)
  const own = program.getSourceFile(file)
  const faults = program.getSemanticDiagnostics(own)
  const [fault] = faults
  if (fault !== undefined) throw new Error(ts.flattenDiagnosticMessageText(fault.messageText, '\n'))
  return program.getInstantiationCount()
}
