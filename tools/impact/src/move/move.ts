import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { exitCodes, type World } from '@farebox/command-line'
import type { Contract } from '@farebox/spec-diff'
import type ts from 'typescript'
import { createDiff, rewrite } from '../fix/edit.js'
import { requireCleanTree } from '../fix/fix.js'
import { ProjectError, readProgram } from '../find/read-input.js'
import { formatCount } from '../report/report.js'
import { findMoves, type FileMoves } from './find-moves.js'

type MoveOptions = {
  readonly project: string
  /** The folder that `farebox-codegen` writes to. */
  readonly api: string
  /** What printed paths are relative to. */
  readonly cwd: string
  /** Write the files. Otherwise the moves are only listed. */
  readonly isFix: boolean
  /** Print a diff, and write nothing. */
  readonly isDry: boolean
  /** Write into a tree with changes too. */
  readonly isForced: boolean
  readonly world: World
}

/** Moves a project from openapi-fetch to its generated client. Returns the exit code. */
export async function move(
  { api }: Pick<Contract, 'api'>,
  { project, api: folder, cwd, isFix, isDry, isForced, world }: MoveOptions,
): Promise<number> {
  const ending = readEnding(folder)
  const program = readProgram(project)
  if (isFix && !isDry && !isForced) await requireCleanTree(dirname(project))
  const importFrom = (file: string, output: string): string => {
    const path = relative(dirname(file), join(folder, output)).replaceAll('\\', '/')
    return `${path.startsWith('.') ? path : `./${path}`}/index${ending}`
  }
  const found = findMoves(program, api, { importFrom })
  const edits = found
    .filter(({ moves }) => moves.length > 0)
    .map(({ file, text }) => ({
      file: file.fileName,
      start: 0,
      end: file.text.length,
      text,
      line: 1,
      column: 1,
    }))
  const files = rewrite(edits, cwd)
  if (isDry) world.out.write(await createDiff(files))
  else if (isFix) for (const { path, after } of files) writeFileSync(resolve(cwd, path), after)
  // only the diff goes to stdout
  const out = isDry ? world.err : world.out
  out.write(summarize(found, cwd, isFix))
  return exitCodes.ok
}

/** How the imports of the generated code end, which those of the project then do too. */
function readEnding(folder: string): string {
  const index = join(folder, 'client/index.ts')
  if (!existsSync(index))
    throw new ProjectError(
      `There is no generated client in ${folder}. Run \`farebox-codegen --spec FILE --out FOLDER\`, and name the folder with --api.`,
    )
  return /from '\.[^']*?(\.[jt]s)?'/.exec(readFileSync(index, 'utf8'))?.[1] ?? ''
}

/** A line for each move, and for each place that is left. */
function summarize(found: readonly FileMoves[], cwd: string, isFix: boolean): string {
  const at = (node: ts.Node): string => {
    const file = node.getSourceFile()
    const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file))
    return `${relative(cwd, file.fileName).replaceAll('\\', '/')}:${line + 1}:${character + 1}`
  }
  const byPlace = (one: { readonly node: ts.Node }, other: { readonly node: ts.Node }): number =>
    one.node.getStart() - other.node.getStart()
  const made = found.flatMap(({ moves }) =>
    moves.toSorted(byPlace).map(({ node, reason }) => `${at(node)} ${reason}`),
  )
  const rest = found.flatMap(({ left }) =>
    left.toSorted(byPlace).map(({ node, reason }) => `${at(node)} left to you: ${reason}`),
  )
  const hint = isFix || made.length === 0 ? [] : ['Give --fix to write this.']
  const total = `${formatCount(made.length, 'edit')}. ${formatCount(rest.length, 'place')} left to you.`
  return `${[...made, ...rest, total, ...hint].join('\n')}\n`
}
