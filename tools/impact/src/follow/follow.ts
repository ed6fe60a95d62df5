import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Change } from '@farebox/spec-diff'
import { findImpact, makePathsRelative } from '../find/find-impact.js'
import { findFixes, type Fixes } from '../fix/find-fixes.js'
import { TreeError } from '../fix/fix.js'
import { rewrite, type Rewritten } from '../fix/edit.js'
import { readBoth, readProgram } from '../find/read-input.js'
import { confirmRenames } from '../renamed/confirm-renames.js'
import { formatBody } from './body.js'

export type FollowOptions = {
  /** A folder in the consumer's repository. */
  readonly cwd: string
  /** The document, relative to `cwd`. Its older version is that of the last commit. */
  readonly spec: string
  readonly project: string
  /** Commands of a shell. */
  readonly generate: string
  readonly compile: string
  readonly branch: string
  /** The possible renames that are confirmed, as `--renamed` takes them. */
  readonly renamed: readonly string[]
  /** Push the branch, and open the pull request. */
  readonly isOpened: boolean
  readonly allowRefs: boolean
  readonly warn: (message: string) => void
}

/**
 * Follows the document of the working tree on a separate branch: a commit with the document and
 * the generated code, one for each change whose fixes are certain, and one with the changeset.
 * Returns the body of the pull request, even if the code no longer compiles. Undefined if the
 * document has not changed.
 *
 * @throws TreeError if something else is not committed, or if generating fails; UsageError if
 * `renamed` names no possible rename.
 */
export async function follow(options: FollowOptions): Promise<string | undefined> {
  const { cwd, spec, generate, compile, branch } = options
  if (!(await isChanged(cwd, spec))) return undefined
  const { base, head } = await readBoth('HEAD', spec, options)
  const { places, open, all } = await confirmRenames(
    { base, head, program: readProgram(options.project) },
    options.renamed,
  )
  const impact = makePathsRelative(cwd, findImpact(places))
  const fixes = findFixes(places, open)
  // everything is read before the code of the older version is gone
  const commits = planCommits(fixes, cwd)
  const before = (await runFile(cwd, 'git', 'rev-parse', 'HEAD')).trim()

  await runFile(cwd, 'git', 'switch', '--quiet', '--force-create', branch)
  await runOrFail(cwd, generate)
  await commit(cwd, 'Follow the contract')
  for (const each of commits) await commitFix(cwd, each)
  const contract = await writeChangeset(cwd, { ...options, before })
  await commit(cwd, 'Describe the changes of the contract')
  const errors = await findFailure(cwd, compile)
  const renames = {
    open,
    all,
    command: `npx farebox-follow --spec ${spec}`,
    given: options.renamed,
  }
  const body = formatBody({
    impact,
    fixes: makeFixesRelative(fixes, cwd),
    renames,
    errors,
    compile,
    contract,
    before,
  })
  if (options.isOpened) await openPullRequest(cwd, branch, body)
  return body
}

/** Whether only the document or files beside it have changed. */
async function isChanged(cwd: string, spec: string): Promise<boolean> {
  const folder = dirname(spec)
  const inside = (
    await runFile(cwd, 'git', 'status', '--porcelain', '--', folder === '.' ? spec : folder)
  ).trim()
  if (inside === '') return false
  const others = folder === '.' ? [`:(exclude)${spec}`] : [`:(exclude)${folder}`]
  if ((await runFile(cwd, 'git', 'status', '--porcelain', '--', '.', ...others)).trim() !== '')
    throw new TreeError(
      `The git tree has changes beside ${spec}, which would come into the pull request. Commit them first.`,
    )
  return true
}

/** Commits all changes, if there are any. */
async function commit(cwd: string, ...paragraphs: readonly string[]): Promise<void> {
  await runFile(cwd, 'git', 'add', '--all', '.')
  if ((await runFile(cwd, 'git', 'status', '--porcelain', '--', '.')).trim() === '') return
  await runFile(
    cwd,
    'git',
    'commit',
    '--quiet',
    ...paragraphs.flatMap((text) => ['--message', text]),
  )
}

async function commitFix(cwd: string, { files, subject, reasons }: FixCommit): Promise<void> {
  for (const { path, after } of files) writeFileSync(resolve(cwd, path), after)
  await commit(cwd, subject, reasons.join('\n'))
}

function makeFixesRelative({ edits, left }: Fixes, cwd: string): Fixes {
  const here = <T extends { readonly file: string }>(one: T): T => ({
    ...one,
    file: relative(cwd, one.file).replaceAll('\\', '/'),
  })
  return { edits: edits.map(here), left: left.map(here) }
}

/** The files after a commit, and its message. */
type FixCommit = {
  readonly files: readonly Rewritten[]
  readonly subject: string
  readonly reasons: readonly string[]
}

/** A commit for each change with edits. Each includes the edits of the previous ones. */
function planCommits({ edits }: Fixes, cwd: string): readonly FixCommit[] {
  const changes = [...new Set(edits.map(({ change }) => change))]
  return changes.map((change, index) => {
    const soFar = new Set(changes.slice(0, index + 1))
    const own = edits.filter((edit) => edit.change === change)
    return {
      files: rewrite(
        edits.filter((edit) => soFar.has(edit.change)),
        cwd,
      ),
      subject: formatCommitSubject(change),
      reasons: [...new Set(own.map(({ reason }) => reason)), '', change.id],
    }
  })
}

/** One line, cut to fit a list of commits. */
function formatCommitSubject({ sentence }: Change): string {
  const text = `Fix: ${sentence}`.replaceAll(/\s+/g, ' ')
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

type Options = { readonly spec: string; readonly before: string; readonly allowRefs: boolean }

/**
 * Writes the changeset with the command that checks it later, if the repository uses changesets.
 * Returns the changes as Markdown.
 */
async function writeChangeset(cwd: string, { spec, before, allowRefs }: Options): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve('@farebox/spec-diff/package.json')
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>
  }
  const command = join(dirname(manifest), bin['farebox-spec-diff'] ?? '')
  const options = [
    ...(existsSync(join(cwd, '.changeset')) ? ['--changeset'] : []),
    ...(allowRefs ? ['--allow-refs'] : []),
  ]
  return runFile(
    cwd,
    process.execPath,
    command,
    before,
    '--spec',
    spec,
    '--format',
    'markdown',
    ...options,
  )
}

const title = 'Follow the contract'

/** Pushes the branch to origin and opens or updates its pull request. */
async function openPullRequest(cwd: string, branch: string, body: string): Promise<void> {
  await runFile(cwd, 'git', 'push', '--quiet', '--force', 'origin', branch)
  const folder = await mkdtemp(join(tmpdir(), 'farebox-follow-'))
  try {
    const file = join(folder, 'body.md')
    await writeFile(file, body)
    const open = (...args: readonly string[]) =>
      runFile(cwd, 'gh', 'pr', ...args, '--title', title, '--body-file', file)
    await open('create', '--head', branch).catch(() => open('edit', branch))
  } finally {
    await rm(folder, { recursive: true })
  }
}

const run = promisify(execFile)
const maxBuffer = 256 * 1024 * 1024

/** Returns the output of a program. Throws a TreeError with its message if it fails. */
async function runFile(cwd: string, file: string, ...args: readonly string[]): Promise<string> {
  return run(file, [...args], { cwd, maxBuffer }).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      throw new TreeError(
        `${[file, ...args.slice(0, 2)].join(' ')} failed:\n${describeError(error)}`,
      )
    },
  )
}

/** Runs a command of the user. Throws a TreeError with its output if it fails. */
async function runOrFail(cwd: string, command: string): Promise<void> {
  const failed = await findFailure(cwd, command)
  if (failed !== undefined) throw new TreeError(`${command} failed:\n${failed}`)
}

/** The output of a command of the user if it fails. */
async function findFailure(cwd: string, command: string): Promise<string | undefined> {
  return run(command, { cwd, maxBuffer, shell: true }).then(
    () => undefined,
    (error: unknown) => describeError(error),
  )
}

function describeError(error: unknown): string {
  const { stdout = '', stderr = '' } = error as {
    readonly stdout?: string
    readonly stderr?: string
  }
  const words = [stdout, stderr].map((text) => text.trim()).filter((text) => text !== '')
  return words.length > 0 ? words.join('\n') : String(error)
}
