import { compile } from '../src/try-documents/compile.js'

/** What the compiler says of some files and folders of one under the strictest switches. */
export async function listTypeErrors(
  folder: string,
  names: readonly string[],
  more: object = {},
): Promise<readonly string[]> {
  const errors = await compile(folder, names, {
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    ...more,
  })
  return [...errors.values()].flat()
}
