import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emitters, folder, generate } from '@farebox/codegen'
import { modelVoices, operations } from '@farebox/types/operations'
import { ModuleKind, ModuleResolutionKind, Project, ScriptTarget, ts } from 'ts-morph'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'

const codegen = fileURLToPath(new URL('../tools/codegen/package.json', import.meta.url))
const examples = dirname(createRequire(codegen).resolve('@readme/oas-examples/package.json'))

const file = fileURLToPath(new URL('in-an-editor.ts', import.meta.url))

/** What a user types, by what it makes. */
const made = {
  'createFarebox()': {
    name: 'farebox',
    source: "import { createFarebox } from 'farebox'\nconst it = createFarebox({ apiKey: 'KEY' })",
  },
  'createClient()': {
    name: '@farebox/client',
    source:
      "import { createClient } from '@farebox/client'\nconst it = createClient({ baseUrl: 'http://127.0.0.1/api/v1' })",
  },
  '@farebox/client/operations': {
    name: '@farebox/client/operations',
    source: "import * as it from '@farebox/client/operations'",
  },
} as const

/**
 * In this tree an import means the source. For a user it means the declarations of the compiler.
 */
const conditions = { source: ['@farebox/source'], declarations: [] }

const operationIds = Object.keys(operations)

const methods: Readonly<Record<keyof typeof made, readonly string[]>> = {
  'createFarebox()': [
    ...operationIds,
    'balance',
    'transactions',
    'generateVideo',
    'parseAll',
    'request',
  ],
  'createClient()': [
    ...operationIds,
    ...'GET PUT POST DELETE OPTIONS HEAD PATCH TRACE request use eject'.split(' '),
  ],
  '@farebox/client/operations': operationIds,
}

describe.each(Object.entries(conditions))(
  'an editor that reads the %s',
  (_kind, customConditions) => {
    describe.each(Object.keys(made) as (keyof typeof made)[])('knows of %s', (what) => {
      const editor = openEditor(`${made[what].source}\n`, customConditions)

      it('exactly the methods', () => {
        expect(editor.listMembers('it').toSorted()).toEqual(methods[what].toSorted())
      })

      it.each(methods[what])('%s: its documentation, and where it is defined', (method) => {
        const { documentation, definitions } = editor.at(`it.${method}`, printUses(methods[what]))
        expect(documentation).toMatch(/\w+ \w+/)
        expect(definitions.map(({ name }) => name)).toContain(method)
        expect(definitions.every(({ fileName }) => existsSync(fileName))).toBe(true)
      })
    })
  },
)

describe.each(Object.entries(conditions))(
  'an editor that reads the %s shows by name',
  (_kind, customConditions) => {
    const client = `${made['createClient()'].source}\nconst result = await it.parseText({ file: new Blob() })\n`
    const sdk = `${made['createFarebox()'].source}\n`
    const caught = "import { isFareboxError } from 'farebox'\ndeclare const error: unknown\n"

    it.each([
      [
        'what a method of the SDK gives',
        `${sdk}const data = await it.parseText({ file: new Blob() })\n`,
        'data',
        'ParsedText',
      ],
      [
        'the body of an error',
        caught,
        "if (isFareboxError(error, 'parseText', 400)) error.body",
        'DetailedError',
      ],
      [
        'each of the bodies of an error',
        caught,
        "if (isFareboxError(error, 'parseText', 402)) error.body",
        'InsufficientBalance',
      ],
      ['the data of a result', client, 'if (result.status === 200) result.data', 'ParsedText'],
      [
        'the data that the SDK takes out of a response',
        `${sdk}const data = await it.getBalance({ walletAddress: '0x0' })\n`,
        'data',
        'WalletBalanceData',
      ],
      [
        'the same of a list',
        `${sdk}const data = await it.listApiKeys()\n`,
        'data',
        'ApiKeyListData',
      ],
      ['the error of a result', client, 'if (result.status === 400) result.error', 'DetailedError'],
    ])('%s', (_what, text, expression, name) => {
      expect(openEditor(text, customConditions).at(expression).shown).toContain(name)
    })
  },
)

describe.each(Object.entries(conditions))(
  'an editor that reads the %s offers',
  (_kind, customConditions) => {
    const offered = (call: string): readonly string[] =>
      openEditor(`${made['createFarebox()'].source}\n`, customConditions).offeredAt(call)

    it.each([
      ['every model', "it.createSpeech({ input: 'Hi', model: '|' })", Object.keys(modelVoices)],
      [
        'every format',
        "it.parseText({ file: new Blob(), response_format: '|' })",
        ['json', 'text'],
      ],
      [
        'the voices of the model',
        "it.createSpeech({ input: 'Hi', model: 'tts-kokoro', voice: '|' })",
        modelVoices['tts-kokoro'].voices,
      ],
      [
        'the voices of the default model',
        "it.createSpeech({ input: 'Hi', voice: '|' })",
        modelVoices['tts-kokoro'].voices,
      ],
    ])('%s', (_what, call, expected) => {
      expect(offered(call).toSorted()).toEqual([...expected].toSorted())
    })
  },
)

describe.each(Object.entries(conditions))(
  'an editor that reads the %s names the values that a field takes',
  (_kind, customConditions) => {
    it.each([
      ['createSpeech', "input: 'Hi', response_format: 'mp4'", '"flac"'],
      ['createSpeech', "input: 'Hi', model: 'tts-kokoro-2'", '"tts-kokoro"'],
      ['createApiKey', "description: '', apiKeyType: 'READ'", '"INFERENCE"'],
    ])('of %s, where %s does not compile', (operation, fields, value) => {
      const { source } = made['createClient()']
      const [error] = openEditor(`${source}\n`, customConditions).listErrors(
        `it.${operation}({ ${fields} })`,
      )
      expect(error).toContain(value)
    })
  },
)

describe('an editor that reads code generated from a third-party document', () => {
  const { folder: out, remove } = createTemporaryFolder('editor')
  beforeAll(async () => {
    const target = folder(out, 'farebox-codegen')
    const outputs = emitters.filter(({ name }) => name === 'types' || name === 'client')
    await generate({
      spec: '3.0/json/petstore-expanded.json',
      cwd: examples,
      target,
      emitters: outputs,
    })
    writeFileSync(join(out, 'package.json'), '{ "type": "module" }')
  })
  afterAll(remove)
  const source = () =>
    `import { createClient } from '${out}/client/index.js'\nconst it = createClient({ baseUrl: 'http://pets.example' })\n`

  it('knows of every method its documentation and where it is defined', () => {
    const editor = openEditor(source(), [])
    const methods = editor.listMembers('it')
    expect(methods.toSorted()).toEqual(['addPet', 'deletePet', 'findPetById', 'findPets'])
    for (const method of methods) {
      const { documentation, definitions } = editor.at(`it.${method}`, printUses(methods))
      expect([method, documentation]).toEqual([method, expect.stringMatching(/\w+ \w+/)])
      expect(definitions.map(({ name }) => name)).toContain(method)
      expect(
        definitions.every(({ fileName }) => fileName === join(out, 'client/operations.ts')),
      ).toBe(true)
    }
  })

  it.each([
    ['a result', '200', 'data', 'Pet'],
    ['an error', '404', 'error', 'Error'],
  ])('shows %s by its name', (_what, status, member, name) => {
    const text = `${source()}const result = await it.findPetById({ id: 7 })\n`
    expect(openEditor(text, []).at(`if (result.status === ${status}) result.${member}`).shown).toBe(
      `(property) ${member}: ${name}`,
    )
  })
})

const options = {
  target: ScriptTarget.ES2022,
  module: ModuleKind.NodeNext,
  moduleResolution: ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
}

type Definition = { readonly name: string; readonly fileName: string }

/** One for each kind of imports, so that each file that they lead to is read once. */
const projects = new Map<string, Project>()

function openProject(customConditions: readonly string[]): Project {
  const key = customConditions.join()
  const project =
    projects.get(key) ??
    new Project({
      skipAddingFilesFromTsConfig: true,
      compilerOptions: { ...options, customConditions: [...customConditions] },
    })
  projects.set(key, project)
  return project
}

/** A line for each method. */
function printUses(methods: readonly string[]): string {
  return methods.map((method) => `it.${method}\n`).join('')
}

/** The language service of TypeScript, which is what editors ask, with one file open. */
function openEditor(text: string, customConditions: readonly string[]) {
  const project = openProject(customConditions)
  const service = project.getLanguageService().compilerObject
  const write = (lines: string) => {
    if (project.getSourceFile(file)?.getFullText() !== text + lines)
      project.createSourceFile(file, text + lines, { overwrite: true })
  }
  return {
    /** What is offered after a dot. */
    listMembers: (name: string): readonly string[] => {
      write(`${name}.`)
      return (
        service
          .getCompletionsAtPosition(file, text.length + name.length + 1, {})
          ?.entries.map((entry) => entry.name) ?? []
      )
    },
    /** What is offered between quotes, where the bar is. */
    offeredAt: (line: string): readonly string[] => {
      write(line.replace('|', ''))
      const entries =
        service.getCompletionsAtPosition(file, text.length + line.indexOf('|'), {})?.entries ?? []
      return entries
        .filter(({ kind }) => kind === ts.ScriptElementKind.string)
        .map((entry) => entry.name)
    },
    /** What is underlined in a line, with all its causes. */
    listErrors: (line: string): readonly string[] => {
      write(line)
      return service
        .getSemanticDiagnostics(file)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    },
    /**
     * What is shown for the last name of an expression, and where a click on it goes. The
     * expression is one of the lines: a file that stays as it is, is checked once.
     */
    at: (
      expression: string,
      lines = `${expression}\n`,
    ): {
      readonly shown: string
      readonly documentation: string
      readonly definitions: readonly Definition[]
    } => {
      write(lines)
      const place = text.length + `\n${lines}`.indexOf(`\n${expression}\n`) + expression.length - 1
      const info = service.getQuickInfoAtPosition(file, place)
      const definitions = service.getDefinitionAtPosition(file, place) ?? []
      return {
        shown: ts.displayPartsToString(info?.displayParts),
        documentation: ts.displayPartsToString(info?.documentation),
        definitions,
      }
    },
  }
}
