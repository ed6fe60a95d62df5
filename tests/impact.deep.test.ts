import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { findImpact, readProgram, type Impact } from '@farebox/impact'
import { compareContracts, readVersion, type Contract } from '@farebox/spec-diff'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'
import { root } from './tree.js'

const samples = join(root, 'packages/docs/samples')
const { folder, remove } = createTemporaryFolder('impact')
afterAll(remove)

let impact: Impact
let both: { readonly base: Contract; readonly head: Contract }

beforeAll(async () => {
  cpSync(join(root, 'spec'), join(folder, 'spec'), { recursive: true })
  edit(
    'paths/audio-speech.yaml',
    '  operationId: createSpeech\n',
    '  operationId: createSpeech\n  deprecated: true\n',
  )
  edit('schemas/CreateSpeechRequest.yaml', 'default: af_sky', 'default: af_nova')
  edit('schemas/ParsedText.yaml', 'required: [text, tokens]', 'required: [text]')
  edit('schemas/ParsedText.yaml', /  tokens:\n(?: {4}.*\n)+/, '')
  both = { base: await read(root), head: await read(folder) }
  impact = findImpactOn(writeProject())
})

function findImpactOn(project: string): Impact {
  const changes = compareContracts(both.base, both.head)
  return findImpact({ changes, ...both, program: readProgram(project) })
}

/**
 * The samples with the declarations of our packages, as a program outside this repository has them.
 */
function writeProject(): string {
  const project = join(folder, 'tsconfig.json')
  const content = {
    extends: join(samples, 'tsconfig.test.json'),
    compilerOptions: { customConditions: [], typeRoots: [join(samples, 'node_modules/@types')] },
    include: [samples],
    exclude: [join(samples, 'node_modules'), join(samples, 'vendored-spec')],
  }
  writeFileSync(project, JSON.stringify(content))
  return project
}

function edit(path: string, from: string | RegExp, to: string): void {
  const file = join(folder, 'spec', path)
  const text = readFileSync(file, 'utf8')
  if (text.replace(from, to) === text) throw new Error(`${path} has no ${String(from)}`)
  writeFileSync(file, text.replace(from, to))
}

async function read(cwd: string): Promise<Contract> {
  const contract = await readVersion('spec/openapi.yaml', { spec: 'spec/openapi.yaml', cwd })
  if (contract === undefined) throw new Error('The contract is not there')
  return contract
}

/** `FILE:LINE` of what the changes of one kind touch. */
function listTouchedLines(code: string, pointer = ''): readonly string[] {
  const touches = impact.touches.filter(
    ({ change }) => change.code === code && change.place.pointer.endsWith(pointer),
  )
  return touches.map(({ file, line }) => `${relative(samples, file)}:${line}`)
}

/** `FILE:LINE` of the lines of the samples with a text. */
function findLines(text: string): readonly string[] {
  return execFileSync('git', ['ls-files', '*.ts', ':!vendored-spec'], {
    cwd: samples,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .toSorted()
    .flatMap((path) =>
      readFileSync(join(samples, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.includes(text) ? `${path}:${index + 1}` : [])),
    )
}

it('finds each call of an operation of the SDK in the samples of the site', () => {
  expect(findLines('.createSpeech(').length).toBeGreaterThan(4)
  expect(listTouchedLines('operation-deprecated')).toEqual(findLines('.createSpeech('))
})

it('finds the calls without a field whose type the SDK redeclares', () => {
  const file = (line: string) => line.slice(0, line.indexOf(':'))
  const withVoice = new Set(findLines('voice: id').map(file))
  expect(withVoice.size).toBe(1)
  const calls = listTouchedLines('request-default-changed', '/voice')
  expect(calls.length).toBe(findLines('.createSpeech(').length - withVoice.size)
  expect(calls.filter((line) => withVoice.has(file(line)))).toEqual([])
})

it('finds each reading of a field of a result of the SDK', () => {
  expect(listTouchedLines('response-property-removed')).toEqual(findLines('.tokens'))
  expect(impact.touches.filter(({ compiler }) => compiler).length).toBe(findLines('.tokens').length)
})

describe('our own packages', () => {
  /** Whether a file imports generated code, by itself or through files of its package. */
  function reachesContract(file: string, seen = new Set<string>()): boolean {
    if (seen.has(file)) return false
    seen.add(file)
    const imported = [...readFileSync(file, 'utf8').matchAll(/ from '([^']+)'/g)].map(
      ([, from = '']) => from,
    )
    return imported.some((from) =>
      from.startsWith('.')
        ? reachesContract(join(dirname(file), from.replace(/\.js$/, '.ts')), seen)
        : /^(?:farebox|@farebox\/(?:types|zod|client))(?:\/|$)/.test(from),
    )
  }

  it.each([
    ['packages/service', 'src/handlers/parse-text.ts'],
    ['packages/cli', 'src/commands/parse.ts'],
    ['packages/conformance', 'src/checks/work.ts'],
  ])('%s: only what reaches generated code, %s among it', (name, file) => {
    const found = findImpactOn(join(root, name, 'tsconfig.json')).touches
    const files = [...new Set(found.map((one) => one.file))]
    expect(files).toContain(join(root, name, file))
    expect(files.filter((one) => !reachesContract(one))).toEqual([])
  })
})
