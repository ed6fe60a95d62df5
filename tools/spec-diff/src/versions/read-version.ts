import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { formatDiagnostic, isolate, loadDocument, type Translations } from '@farebox/codegen/model'
import { buildCalls } from '../compare/calls.js'
import type { Contract } from '../compare/contracts.js'
import { readExtras } from '../compare/extras.js'
import { readXml } from '../compare/xml.js'

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
  /** Follow references to other folders and to URLs. Default: false. */
  readonly allowRefs?: boolean
  /**
   * Read a faulty document without its faulty parts, and report them. Default: reject it. A
   * released version can no longer be fixed.
   */
  readonly onFaults?: (message: string) => void
  /** Versions that are read with one object share their equal parts, which are translated once. */
  readonly translations?: Translations
}

/**
 * Reads a file, a URL, `REVISION:PATH`, or `spec` at a git revision. Undefined if the revision
 * lacks the document.
 */
export async function readVersion(
  version: string,
  options: ReadOptions,
): Promise<Contract | undefined> {
  if (/^https?:\/\//.test(version)) return load(version, options.cwd, options)
  const file = resolve(options.cwd, version)
  if (existsSync(file)) return load(relative(options.cwd, file), options.cwd, options)
  const [, revision, path] = /^([^:]+):(.+)$/.exec(version) ?? []
  return revision === undefined || path === undefined
    ? readRevision(version, options)
    : readRevision(revision, { ...options, spec: await toRelativePath(path, options.cwd) })
}

/** Git counts a path from the top of the repository, unless it begins with a dot. */
async function toRelativePath(path: string, cwd: string): Promise<string> {
  if (path.startsWith('.')) return path
  const top = await runGit(cwd, 'rev-parse', '--show-toplevel').catch(() => cwd)
  return relative(await realpath(cwd), join(top, path))
}

async function readRevision(revision: string, options: ReadOptions): Promise<Contract | undefined> {
  const { spec, cwd, allowRefs = false } = options
  const commit = await runGit(
    cwd,
    'rev-parse',
    '--verify',
    '--quiet',
    `${revision}^{commit}`,
  ).catch(() => undefined)
  if (commit === undefined)
    throw new VersionError(
      `${revision} is neither a file nor a git revision here. Give a path, a URL, a tag, a branch or a commit.`,
    )
  const top = await runGit(cwd, 'rev-parse', '--show-toplevel')
  const path = relative(top, resolve(await realpath(cwd), spec)).replaceAll('\\', '/')
  const folder = dirname(path)
  const exists = await runGit(top, 'cat-file', '-e', `${commit}:${path}`).then(
    () => true,
    () => false,
  )
  if (!exists) return undefined
  const temporary = await mkdtemp(join(tmpdir(), 'spec-diff-'))
  try {
    const archive = join(temporary, 'spec.tar')
    // with references to other folders, any file of the revision may be needed
    const wanted = allowRefs ? [] : [folder === '.' ? path : folder]
    await runGit(top, 'archive', '--format=tar', `--output=${archive}`, commit, ...wanted)
    await run('tar', ['-xf', archive, '-C', temporary])
    await rm(archive)
    return await load(path, temporary, options)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function load(
  path: string,
  cwd: string,
  { allowRefs = false, onFaults, translations }: ReadOptions,
): Promise<Contract> {
  const { document, diagnostics } = await loadDocument(path, { cwd, allowRefs })
  const faulty = diagnostics.filter(({ severity }) => severity === 'error')
  const rest = document && isolate(document, faulty.length === 0 ? translations : undefined)
  const errors = [...faulty, ...(rest?.errors ?? [])]
  const faults = `${path} has faults:\n${errors.map(formatDiagnostic).join('\n')}`
  if (rest?.api === undefined || (errors.length > 0 && onFaults === undefined))
    throw new VersionError(faults)
  if (errors.length > 0) onFaults?.(`${faults}\nThe faulty parts are not compared.`)
  const calls = buildCalls(rest.document)
  const xml = readXml(rest.document)
  return {
    api: rest.api,
    extras: readExtras(rest.document),
    ...(calls && { calls }),
    ...(xml && { xml }),
  }
}

/** The output of a git command, without the final line break. */
export async function runGit(cwd: string, ...args: readonly string[]): Promise<string> {
  return (
    await promisify(execFile)('git', [...args], { cwd, maxBuffer: 64 * 1024 * 1024 })
  ).stdout.trim()
}
