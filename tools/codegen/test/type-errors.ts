import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
}

/** TypeScript 7, at a fifth of the work of 5.9, with which `compiles.test.ts` compiles all outputs. */
const tsc = join(dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')), 'bin/tsc')

/** What the compiler says of files in a folder under the strictest switches. */
export async function typeErrors(folder: string, include: readonly string[], more: object = {}): Promise<readonly string[]> {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...compilerOptions, ...more }, include }))
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { maxBuffer: 1e8 }).catch(
    (error: { readonly stdout: string }) => error,
  )
  return stdout.split('\n').filter((line) => line !== '')
}
