import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { formatDiagnostic } from '../src/diagnostics.js'
import { client } from '../src/emitters/client.js'
import { types } from '../src/emitters/types.js'
import { zodWith } from '../src/emitters/zod.js'
import { generate, type GenerateOptions } from '../src/pipeline/generate.js'
import { folder } from '../src/pipeline/target.js'
import { listTypeErrors } from './type-errors.js'

/** Inside the package, so that the generated imports of npm's packages resolve; ignored by git. */
const locateWork = (name: string): string =>
  fileURLToPath(new URL(`../.tmp/${name}/`, import.meta.url))

/** Any operation of a generated client. */
export type Call = (
  input?: object,
  options?: object,
) => Promise<{ readonly status: number; readonly data?: unknown; readonly error?: unknown }>
export type Calls = Readonly<Record<string, Call>>

/** Types, validators and client of a document, in a folder that one test file owns. */
export async function generateClient(
  name: string,
  document: object,
  options: GenerateOptions = {},
) {
  const work = locateWork(name)
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  await writeFile(join(work, 'package.json'), '{ "type": "module" }')
  await writeFile(join(work, 'api.json'), JSON.stringify(document))
  const emitters = [types, zodWith(), client]
  const result = await generate({
    spec: 'api.json',
    cwd: work,
    emitters,
    target: folder('out', 'test'),
    ...options,
  })
  if (result.status !== 'written')
    throw new Error(result.diagnostics.map(formatDiagnostic).join('\n'))
  return {
    module: (await import(pathToFileURL(join(work, 'out/client/index.ts')).href)) as unknown,
    diagnostics: result.diagnostics,
    /** Another module of the output, such as `zod/schemas.ts`. */
    load: async (path: string): Promise<unknown> =>
      import(pathToFileURL(join(work, 'out', path)).href) as Promise<unknown>,
    /** What the compiler says of a program beside `out`. Empty: it compiles. */
    compile: async (program: string): Promise<string> => compile(work, program),
    remove: async (): Promise<void> => rm(work, { recursive: true, force: true }),
  }
}

async function compile(work: string, program: string): Promise<string> {
  await writeFile(join(work, 'program.ts'), program)
  return (await listTypeErrors(work, ['program.ts', 'out'])).join('\n')
}
