import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Change } from '@farebox/spec-diff'
import type ts from 'typescript'

/** A replaced part of a file, in UTF-16 units. An insertion has an empty span. */
type Replacement = {
  readonly file: string
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A replacement that a change of the contract requires. */
export type Edit = Replacement & {
  readonly change: Change
  /** The description of the edit: `createJob is called createTask now`. */
  readonly reason: string
  /** Counted from 1. */
  readonly line: number
  readonly column: number
}

/** Creates the edits of one change. */
export type Editor = (node: ts.Node, text: string, reason: string, span?: Span) => Edit

type Span = { readonly start: number; readonly end: number }

/** Replaces nodes, or spans in the files of nodes. */
export function createEditor(change: Change): Editor {
  return (node, text, reason, span = { start: node.getStart(), end: node.getEnd() }) => {
    const file = node.getSourceFile()
    const { line, character } = file.getLineAndCharacterOfPosition(span.start)
    return {
      change,
      file: file.fileName,
      ...span,
      text,
      reason,
      line: line + 1,
      column: character + 1,
    }
  }
}

/** The text of a file after its edits. They do not overlap. */
export function applyEdits(text: string, edits: readonly Omit<Replacement, 'file'>[]): string {
  let result = ''
  let done = 0
  for (const { start, end, text: replacement } of edits.toSorted(
    (one, other) => one.start - other.start,
  )) {
    if (start < done)
      throw new Error(`Two edits overlap at ${start}: ${JSON.stringify(replacement)}`)
    result += text.slice(done, start) + replacement
    done = end
  }
  return result + text.slice(done)
}

/** The edited files before and after, with paths relative to a folder. Writes nothing. */
export function rewrite(edits: readonly Replacement[], folder: string): readonly Rewritten[] {
  const files = [...new Set(edits.map(({ file }) => file))]
  return files.map((file) => {
    const before = readFileSync(file, 'utf8')
    // the compiler counts without the mark at the beginning
    const mark = before.startsWith('\uFEFF') ? '\uFEFF' : ''
    const own = edits.filter((edit) => edit.file === file)
    return {
      path: relative(folder, file).replaceAll('\\', '/'),
      before,
      after: mark + applyEdits(before.slice(mark.length), own),
    }
  })
}

/** A file before and after its edits, by a path with slashes that does not leave its folder. */
export type Rewritten = { readonly path: string; readonly before: string; readonly after: string }

/** The changes of files as `git apply` reads them. Empty without changes. */
export async function createDiff(files: readonly Rewritten[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-impact-'))
  try {
    for (const { path, before, after } of files)
      for (const [side, text] of [
        ['a', before],
        ['b', after],
      ] as const) {
        await mkdir(dirname(join(folder, side, path)), { recursive: true })
        await writeFile(join(folder, side, path), text)
      }
    return files.length === 0 ? '' : await compare(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Git exits with 1 if the folders differ. The settings of the user do not affect the format. */
function compare(folder: string): Promise<string> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' }
  const args = [
    '-c',
    'core.quotePath=false',
    'diff',
    '--no-index',
    '--no-prefix',
    '--abbrev=7',
    'a',
    'b',
  ]
  return new Promise((resolve, reject) => {
    execFile('git', args, { cwd: folder, env, maxBuffer: 256 * 1024 * 1024 }, (error, stdout) => {
      if (error === null || error.code === 1) resolve(stdout)
      else reject(error)
    })
  })
}
