import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Project, type SourceFile } from 'ts-morph'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** The test files of a worker share it, so that each source is parsed once. */
const project = new Project({
  skipAddingFilesFromTsConfig: true,
  skipFileDependencyResolution: true,
})

/** The syntax of a file, by its path from the root. */
export function readSource(path: string): SourceFile {
  return project.addSourceFileAtPath(join(root, path))
}

/** The syntax of a text. The ending of `name` says whether it is TypeScript or TSX. */
export function createSource(name: string, text: string): SourceFile {
  return project.createSourceFile(name, text, { overwrite: true })
}

/** The paths from the root of the files that git knows, or would add. */
export function listGitFiles(...patterns: readonly string[]): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns]
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n')
}
