import { writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { findImpact, relativeTo } from '../find-impact.js'
import { findFixes, type Fixes } from '../fix/find-fixes.js'
import { TreeError } from '../fix/fix.js'
import { readBoth } from '../read-both.js'
import { readProgram } from '../read-program.js'
import { confirmRenames } from '../renamed/confirm-renames.js'
import { formatBody } from './body.js'
import { checks, runs, succeeds } from './commands.js'
import { planCommits, type FixCommit } from './fix-commits.js'
import { openPullRequest } from './pull-request.js'
import { writeChangeset } from './write-changeset.js'

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
 * Follows the document of the working tree on a branch of its own: a commit with the document and
 * the generated code, one for each change whose fixes are certain, and one with the changeset.
 * Gives the text of the pull request, also if the code no longer compiles. Undefined if the
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
  const impact = relativeTo(cwd, findImpact(places))
  const fixes = findFixes(places, open)
  // everything is read before the code of the older version is gone
  const commits = planCommits(fixes, cwd)
  const before = (await runs(cwd, 'git', 'rev-parse', 'HEAD')).trim()

  await runs(cwd, 'git', 'switch', '--quiet', '--force-create', branch)
  await succeeds(cwd, generate)
  await commit(cwd, 'Follow the contract')
  for (const each of commits) await commitFix(cwd, each)
  const contract = await writeChangeset(cwd, { ...options, before })
  await commit(cwd, 'Describe the changes of the contract')
  const errors = await checks(cwd, compile)
  const renames = {
    open,
    all,
    command: `npx farebox-follow --spec ${spec}`,
    given: options.renamed,
  }
  const body = formatBody({
    impact,
    fixes: relativeFixes(fixes, cwd),
    renames,
    errors,
    compile,
    contract,
    before,
  })
  if (options.isOpened) await openPullRequest(cwd, branch, body)
  return body
}

/** Whether the document or a file beside it has changed, and nothing else. */
async function isChanged(cwd: string, spec: string): Promise<boolean> {
  const folder = dirname(spec)
  const inside = (
    await runs(cwd, 'git', 'status', '--porcelain', '--', folder === '.' ? spec : folder)
  ).trim()
  if (inside === '') return false
  const others = folder === '.' ? [`:(exclude)${spec}`] : [`:(exclude)${folder}`]
  if ((await runs(cwd, 'git', 'status', '--porcelain', '--', '.', ...others)).trim() !== '')
    throw new TreeError(
      `The git tree has changes beside ${spec}, which would come into the pull request. Commit them first.`,
    )
  return true
}

/** Commits everything, if there is something. */
async function commit(cwd: string, ...paragraphs: readonly string[]): Promise<void> {
  await runs(cwd, 'git', 'add', '--all', '.')
  if ((await runs(cwd, 'git', 'status', '--porcelain', '--', '.')).trim() === '') return
  await runs(cwd, 'git', 'commit', '--quiet', ...paragraphs.flatMap((text) => ['--message', text]))
}

async function commitFix(cwd: string, { files, subject, reasons }: FixCommit): Promise<void> {
  for (const { path, after } of files) writeFileSync(resolve(cwd, path), after)
  await commit(cwd, subject, reasons.join('\n'))
}

function relativeFixes({ edits, left }: Fixes, cwd: string): Fixes {
  const here = <T extends { readonly file: string }>(one: T): T => ({
    ...one,
    file: relative(cwd, one.file).replaceAll('\\', '/'),
  })
  return { edits: edits.map(here), left: left.map(here) }
}
