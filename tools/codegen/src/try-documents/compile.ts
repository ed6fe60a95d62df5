import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const strictest = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
}

const require = createRequire(import.meta.url)
const native = join(dirname(require.resolve('@typescript/native/package.json')), 'bin/tsc')

/**
 * Compiles some of the files and folders below one, in one program. Returns the errors by file or
 * folder; one without errors has no entry.
 *
 * @param options switches of the compiler in place of the default ones, which are the strictest
 * @param tsc the command of another compiler than TypeScript 7
 */
export async function compile(
  folder: string,
  names: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
  tsc = native,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const compilerOptions = { ...strictest, ...options }
  const include = names.map((name) => (name.endsWith('.ts') ? name : `${name}/**/*.ts`))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [tsc, '-p', folder, '--pretty', 'false'],
    {
      cwd: folder,
      // Nearly all that the compiler holds is in use to its end: to look for the rest more often
      // takes a quarter of its time and saves little.
      env: { GOGC: '400', ...process.env },
      maxBuffer: 1e9,
    },
  ).catch((error: { readonly stdout?: string; readonly message: string }) => ({
    stdout: error.stdout || error.message,
  }))
  const errors = new Map<string, string[]>()
  for (const line of stdout
    .split('\n')
    .filter((text) => text.trim() !== '' && !text.startsWith(' '))) {
    const name = line.split(/[/(]/, 1)[0] ?? ''
    errors.set(name, [...(errors.get(name) ?? []), line])
  }
  return errors
}
