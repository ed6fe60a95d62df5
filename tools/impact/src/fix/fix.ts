import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { exitCodes, type World } from '@farebox/command-line'
import type { ImpactOptions } from '../find/find-impact.js'
import {
  confirmRenames,
  describeRename,
  chooseForm,
  type Ask,
  type ConfirmedRenames,
} from '../renamed/confirm-renames.js'
import { formatCount } from '../report/report.js'
import { findFixes, type Fixes } from './find-fixes.js'
import { rewrite, createDiff } from './edit.js'

/**
 * Edits are not written into this folder, since they could not be distinguished from other changes.
 */
export class TreeError extends Error {
  override readonly name = 'TreeError'
}

type FixOptions = {
  readonly project: string
  /** What printed paths are relative to. */
  readonly cwd: string
  /** Print the edits, and write nothing. */
  readonly isDry: boolean
  /** Write into a tree with changes too. */
  readonly isForced: boolean
  /** What `--renamed` confirms. */
  readonly renamed: readonly string[]
  /** Asks about the possible renames that it does not name. */
  readonly ask: Ask | undefined
  readonly world: World
}

/**
 * Edits the consumer's code, or prints the edits, with a reason for each. Returns the exit code.
 */
export async function fix(
  read: Omit<ImpactOptions, 'changes'>,
  options: FixOptions,
): Promise<number> {
  const { project, cwd, isDry, isForced, renamed, ask, world } = options
  if (!isDry && !isForced) await requireCleanTree(dirname(project))
  const confirmed = await confirmRenames(read, renamed, ask)
  const fixes = findFixes(confirmed.places, confirmed.open)
  const files = rewrite(fixes.edits, cwd)
  if (isDry) world.out.write(await createDiff(files))
  else for (const { path, after } of files) writeFileSync(resolve(cwd, path), after)
  // only the diff goes to stdout
  const out = isDry ? world.err : world.out
  out.write(summarize(fixes, confirmed, cwd))
  return exitCodes.ok
}

/** @throws TreeError in a tree with changes, or without git. */
export async function requireCleanTree(folder: string): Promise<void> {
  const found = await promisify(execFile)('git', ['status', '--porcelain'], { cwd: folder }).catch(
    () => undefined,
  )
  const hint = 'Commit the newer document and your work first, or give --force.'
  if (found === undefined)
    throw new TreeError(
      `${folder} is not in a git tree, so the edits could not be undone. Give --force to write them.`,
    )
  if (found.stdout !== '')
    throw new TreeError(`The git tree has changes, which the edits would be mixed with. ${hint}`)
}

/** A line for each edit, for each place that is left, and for each rename to confirm. */
function summarize({ edits, left }: Fixes, { open, all }: ConfirmedRenames, cwd: string): string {
  const at = ({
    file,
    line,
    column,
  }: {
    readonly file: string
    readonly line: number
    readonly column: number
  }) => `${relative(cwd, file).replaceAll('\\', '/')}:${line}:${column}`
  const made = edits.map((edit) => `${at(edit)} ${edit.reason} (${edit.change.id})`)
  const rest = left.map(
    (touch) => `${at(touch)} left to you: ${touch.change.sentence} (${touch.change.id})`,
  )
  const asked = open.map(
    (one) =>
      `possible rename: ${describeRename(one)}. If so, give --renamed ${chooseForm(one, all)}`,
  )
  return `${[...made, ...rest, ...asked, `${formatCount(edits.length, 'edit')}. ${formatCount(left.length, 'place')} left to you.`].join('\n')}\n`
}
