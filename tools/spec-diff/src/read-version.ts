import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildApi, formatDiagnostic, loadDocument, type Api } from '@farebox/codegen'
import { git } from './git.js'

const run = promisify(execFile)

/**
 * A version that cannot be read: the file or revision does not exist, or the document has faults.
 */
export class VersionError extends Error {
  override readonly name = 'VersionError'
}

export type ReadOptions = {
  /** The entry file of the document within a revision, relative to `cwd`. */
  readonly spec: string
  readonly cwd: string
}

/** A file, or the git revision of `spec`. Undefined if the revision lacks the document. */
export async function readVersion(version: string, options: ReadOptions): Promise<Api | undefined> {
  const file = resolve(options.cwd, version)
  if (existsSync(file)) return load(relative(options.cwd, file), options.cwd)
  return readRevision(version, options)
}

async function readRevision(revision: string, { spec, cwd }: ReadOptions): Promise<Api | undefined> {
  const commit = await git(cwd, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`).catch(() => undefined)
  if (commit === undefined)
    throw new VersionError(`${revision} is neither a file nor a git revision here. Give a path, a tag, a branch or a commit.`)
  const top = await git(cwd, 'rev-parse', '--show-toplevel')
  const path = relative(top, resolve(await realpath(cwd), spec)).replaceAll('\\', '/')
  const folder = dirname(path)
  const exists = await git(top, 'cat-file', '-e', `${commit}:${path}`).then(
    () => true,
    () => false,
  )
  if (!exists) return undefined
  const temporary = await mkdtemp(join(tmpdir(), 'spec-diff-'))
  try {
    const archive = join(temporary, 'spec.tar')
    await git(top, 'archive', '--format=tar', `--output=${archive}`, commit, folder === '.' ? path : folder)
    await run('tar', ['-xf', archive, '-C', temporary])
    return await load(path, temporary)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function load(path: string, cwd: string): Promise<Api> {
  const { document, diagnostics } = await loadDocument(path, { cwd })
  const built = document && buildApi(document)
  const errors = [...diagnostics, ...(built?.diagnostics ?? [])].filter(({ severity }) => severity === 'error')
  if (built?.api === undefined || errors.length > 0)
    throw new VersionError(`${path} has faults:\n${errors.map(formatDiagnostic).join('\n')}`)
  return built.api
}
