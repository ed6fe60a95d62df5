import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { listPublished } from '@farebox/release/list-published'
import { startLocalService, type LocalService } from '@farebox/samples/local-service'
import { createTemporaryFolder } from './temporary-folder.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Where the generator's README has its output; it is not there in this tree, and release:dry
 * generates and compiles what it shows.
 */
const generatesFirst = '@farebox/codegen'

/** Of every package, also of those that go into others. */
const readmes = [
  ...listPublished(root).map(({ name, folder }) => ({ name, readme: join(folder, 'README.md') })),
  ...['arbitraries', 'conformance', 'mcp'].map((name) => ({
    name: `@farebox/${name}`,
    readme: join(root, 'packages', name, 'README.md'),
  })),
  { name: 'the repository', readme: join(root, 'README.md') },
].filter(({ name }) => name !== generatesFirst)

/**
 * Where Node finds the packages by their names, as where a reader installed them: in the folder of
 * these tests, or in that of a package that they do not depend on, which finds itself.
 */
const findFolder = (name: string, readme: string) =>
  name === 'the repository' || existsSync(join(root, 'tests/node_modules', name))
    ? join(root, 'tests')
    : dirname(readme)

const tsc = join(root, 'node_modules/@typescript/native/bin/tsc')

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
}

/** Each block of TypeScript, as a file of its own. */
const snippets = readmes.flatMap(({ name, readme }) =>
  [...readFileSync(readme, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, code = ''], index) => ({
      name: `${name}, ${index + 1}`,
      file: join(findFolder(name, readme), `.readme-${name.replace(/\W+/g, '-')}-${index + 1}.mts`),
      code,
    }),
  ),
)

describe('a README sample', () => {
  let service: LocalService
  let errors: readonly string[]
  beforeAll(async () => {
    ;[service, errors] = await Promise.all([startLocalService(), listCompileErrors(snippets)])
  })
  afterEach(
    ({ task }) => void (task.result?.state === 'fail' && process.stderr.write(service.log())),
  )
  afterAll(() => service.stop())

  it.each(snippets)('compiles: $name', ({ file }) => {
    expect(errors.filter((line) => line.startsWith(`${file}(`))).toEqual([])
    // an error without a place is one of the project
    expect(errors.filter((line) => line.startsWith('error'))).toEqual([])
  })

  it.each(snippets)('runs: $name', async ({ name, file: typescript, code }) => {
    const file = typescript.replace(/\.mts$/, '.mjs')
    onTestFinished(() => rm(file))
    await writeFile(file, (await transform(code, { loader: 'ts' })).code)
    const env = { ...process.env, ...service.environment }
    // the README of the repository is read in its root
    const cwd = name.startsWith('the repository') ? root : service.folder
    const { stderr } = await promisify(execFile)(process.execPath, [file], { cwd, env })
    expect(stderr).toBe('')
  })
})

/**
 * The errors of the compiler, one in a line with the path of its file first, when it reads the
 * declarations of the packages as a user's does. The snippets are files meanwhile.
 */
async function listCompileErrors(
  snippets: readonly { readonly file: string; readonly code: string }[],
): Promise<readonly string[]> {
  const { folder, remove } = createTemporaryFolder('readmes')
  const files = snippets.map(({ file }) => file)
  try {
    await Promise.all(snippets.map(({ file, code }) => writeFile(file, code)))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [tsc, '-p', folder, '--pretty', 'false'],
      { cwd: '/' },
    ).catch((error: { readonly stdout: string }) => error)
    return stdout.split('\n').map((line) => (/^[\w.-]+\//.test(line) ? `/${line}` : line))
  } finally {
    await Promise.all(files.map((file) => rm(file, { force: true })))
    remove()
  }
}
