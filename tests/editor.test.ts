import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const file = fileURLToPath(new URL('in-an-editor.ts', import.meta.url))

/** What a user types, by what it makes. */
const made = {
  'createFarebox()': { name: 'farebox', source: "import { createFarebox } from 'farebox'\nconst it = createFarebox({ apiKey: 'KEY' })" },
  'createClient()': {
    name: '@farebox/client',
    source: "import { createClient } from '@farebox/client'\nconst it = createClient({ baseUrl: 'http://127.0.0.1/api/v1' })",
  },
  '@farebox/client/operations': { name: '@farebox/client/operations', source: "import * as it from '@farebox/client/operations'" },
} as const

/**
 * In this tree an import means the source. For a user it means the declarations of the compiler.
 */
const conditions = { source: ['@farebox/source'], declarations: [] }

const operationIds = (
  'topUp getBalance listTransactions createSpeech createVoice parseText quoteVideo queueVideo retrieveVideo listModels getModel ' +
  'createApiKey getRateLimits listRateLimitLogs'
).split(' ')

const methods: Readonly<Record<keyof typeof made, readonly string[]>> = {
  'createFarebox()': [...operationIds, 'balance', 'transactions', 'generateVideo'],
  'createClient()': [...operationIds, ...'GET PUT POST DELETE OPTIONS HEAD PATCH TRACE request use eject'.split(' ')],
  '@farebox/client/operations': operationIds,
}

describe.each(Object.entries(conditions))('an editor that reads the %s', (_kind, customConditions) => {
  describe.each(Object.keys(made) as (keyof typeof made)[])('knows of %s', (what) => {
    const text = `${made[what].source}\n`
    const editor = editorOf(text, customConditions)

    it('every method, and no other', () => {
      expect(editor.membersOf('it').toSorted()).toEqual(methods[what].toSorted())
    })

    it.each(methods[what])('%s: its documentation, and where it is defined', (method) => {
      const { documentation, definitions } = editor.at(`it.${method}`)
      expect(documentation).toMatch(/\w+ \w+/)
      expect(definitions.map(({ name }) => name)).toContain(method)
      expect(definitions.every(({ fileName }) => existsSync(fileName))).toBe(true)
    })
  })
})

type Definition = { readonly name: string; readonly fileName: string }

/** The language service of TypeScript, which is what editors ask, with one file open. */
function editorOf(text: string, customConditions: readonly string[]) {
  let open = text
  let version = 0
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: [...customConditions],
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  }
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : '0'),
    getScriptSnapshot: (name) => {
      const found = name === file ? open : ts.sys.readFile(name)
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found)
    },
    getCurrentDirectory: () => fileURLToPath(new URL('..', import.meta.url)),
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    directoryExists: (name) => ts.sys.directoryExists(name),
    realpath: realpathSync,
  })
  const write = (line: string) => {
    open = text + line
    version++
    return open.length
  }
  return {
    /** What is offered after a dot. */
    membersOf: (name: string): readonly string[] =>
      service.getCompletionsAtPosition(file, write(`${name}.`), {})?.entries.map((entry) => entry.name) ?? [],
    /** What is shown for the last name of an expression, and where a click on it goes. */
    at: (expression: string): { readonly documentation: string; readonly definitions: readonly Definition[] } => {
      const place = write(expression) - 1
      const info = service.getQuickInfoAtPosition(file, place)
      const definitions = service.getDefinitionAtPosition(file, place) ?? []
      return { documentation: ts.displayPartsToString(info?.documentation), definitions }
    },
  }
}
