import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { ModuleKind, ModuleResolutionKind, Project, ScriptTarget, ts } from 'ts-morph'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { published } from '@farebox/release/published'
import { startLocalService, type LocalService } from '@farebox/samples/local-service'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Where the generator's README has its output; it is not there in this tree, and release:dry
 * generates and compiles what it shows.
 */
const generatesFirst = '@farebox/codegen'

const readmes = [
  ...published(root).map(({ name, folder }) => ({ name, folder, readme: join(folder, 'README.md') })),
  { name: 'the repository', folder: join(root, 'packages/farebox'), readme: join(root, 'README.md') },
].filter(({ name }) => name !== generatesFirst)

/** Each block of TypeScript, as if it were a file of its own in the package. */
const snippets = readmes.flatMap(({ name, folder, readme }) =>
  [...readFileSync(readme, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => ({
    name: `${name}, ${index + 1}`,
    folder,
    file: join(folder, `${name.replace(/\W+/g, '-')}-${index + 1}.mts`),
    code,
  })),
)

describe('what a README shows', () => {
  const project = projectOf(new Map(snippets.map(({ file, code }) => [file, code])))
  let service: LocalService
  beforeAll(async () => void (service = await startLocalService(true)))
  afterAll(() => service.stop())

  it.each(snippets)('compiles: $name', ({ file }) => {
    const found = project.getSourceFileOrThrow(file).getPreEmitDiagnostics()
    expect(found.map(({ compilerObject }) => ts.flattenDiagnosticMessageText(compilerObject.messageText, '\n'))).toEqual([])
  })

  it.each(snippets)('runs: $name', async ({ name, folder, code }) => {
    // within the package, where Node finds it and what it needs by their names
    const file = join(folder, `.readme${name.replace(/\W+/g, '-')}.mjs`)
    onTestFinished(() => rm(file))
    await writeFile(file, (await transform(code, { loader: 'ts' })).code)
    const env = { ...process.env, ...service.environment }
    // the README of the repository is read in its root
    const cwd = name.startsWith('the repository') ? root : service.folder
    const { stderr } = await promisify(execFile)(process.execPath, [file], { cwd, env })
    expect(stderr).toBe('')
  })
})

/** A project with these texts as files. Nothing is written. */
function projectOf(texts: ReadonlyMap<string, string>): Project {
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    compilerOptions: {
      target: ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ModuleKind.NodeNext,
      moduleResolution: ModuleResolutionKind.NodeNext,
      customConditions: ['@farebox/source'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      noEmit: true,
    },
  })
  for (const [file, text] of texts) project.createSourceFile(file, text)
  return project
}
